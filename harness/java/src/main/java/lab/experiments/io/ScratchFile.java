package lab.experiments.io;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import lab.Failure;
import lab.Native;
import lab.Parameters;

/**
 * The file of one stream. It loses its name as soon as it is open, so that none can be left behind, whatever ends the
 * process; until it is closed, Linux opens it again under the name of its descriptor.
 */
final class ScratchFile implements AutoCloseable {
    /** How the file is before the first pass, and before every other. */
    enum Preparation {
        /** Its blocks are written, with zeros, and on disk and clean; every pass overwrites them. */
        ZEROS,
        /** Its blocks are allocated but never written; anew for every pass. */
        FALLOCATE,
        /** Empty; anew for every pass. */
        EXTEND,
        /** As its last user left it: written and dirty. */
        REUSE
    }

    /**
     * Prepared in pieces of 4 KiB whatever the block size, because their size decides how large the pieces of the page
     * cache are that every pass will then write to.
     */
    private static final int PIECE = 4096;

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final FileChannel channel;
    /** A name that opens the file as long as this object is open. */
    final String path;

    private final long size;
    private final Preparation preparation;

    /** Creates a file in {@code dir} and prepares it; the first pass makes it as long as {@code file-size}. */
    ScratchFile(Parameters parameters) throws IOException {
        Path folder = Path.of(parameters.getString("dir"));
        size = parameters.getLong("file-size");
        preparation = Preparation.valueOf(parameters.getString("preparation").toUpperCase(Locale.ROOT));
        Path named = Files.createTempFile(folder, "lab-sequential-io-", "").toRealPath();
        try {
            channel = FileChannel.open(named, StandardOpenOption.READ, StandardOpenOption.WRITE);
            path = descriptor(named);
        } finally {
            Files.delete(named);
        }
        if (preparation == Preparation.ZEROS) {
            writeAll(new byte[PIECE]);
            channel.force(true);
        } else if (preparation == Preparation.REUSE) {
            writeAll(Content.block(PIECE));
        }
    }

    private static String descriptor(Path file) throws IOException {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path each : open) {
                if (target(each).equals(file)) {
                    return each.toString();
                }
            }
        }
        throw new IOException(DESCRIPTORS + " does not show the open file " + file);
    }

    private static Path target(Path descriptor) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (NoSuchFileException e) {
            return descriptor; // closed since it was listed, as the listing's own descriptor will be
        }
    }

    private void writeAll(byte[] piece) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(piece);
        for (long left = size; left > 0; left -= buffer.limit()) {
            buffer.clear().limit((int) Math.min(left, PIECE));
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        }
    }

    /** Brings the file into its state before every pass. */
    void startPass() throws IOException {
        if (preparation == Preparation.ZEROS || preparation == Preparation.REUSE) {
            return;
        }
        channel.truncate(0);
        if (preparation == Preparation.FALLOCATE) {
            int errno = Native.fallocate(path, size);
            if (errno != 0) {
                throw Failure.resource("--preparation fallocate: the file system of --dir refuses " + size
                        + " bytes (errno " + errno + ")");
            }
        }
    }

    /** Puts what was written on the disk, without the times of the file. */
    void sync() throws IOException {
        channel.force(false);
    }

    long length() throws IOException {
        return channel.size();
    }

    /** The sum of all bytes, read back. */
    long sum() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        long sum = 0;
        for (long position = 0; position < size; position += buffer.position()) {
            if (channel.read(buffer.clear(), position) < 0) {
                throw new EOFException("the file ended early");
            }
            sum += Content.sum(buffer.array(), buffer.position());
        }
        return sum;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
