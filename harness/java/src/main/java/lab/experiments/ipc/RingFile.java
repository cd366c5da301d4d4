package lab.experiments.ipc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import lab.Failure;
import lab.Native;
import lab.TemporaryFiles;

/** The file of a {@link Ring}: who creates it makes all of it, and who attaches to it writes nothing. */
final class RingFile {
    private static final long MAGIC = ByteBuffer.wrap("LABRING1".getBytes(StandardCharsets.US_ASCII))
            .order(ByteOrder.nativeOrder())
            .getLong();
    private static final int VERSION = 1;

    private static final int MAGIC_AT = 0;
    private static final int VERSION_AT = 8;
    private static final int HEADER_AT = 12;
    private static final int CAPACITY_AT = 16;
    private static final int LENGTH_AT = 24;

    private static final int PIECE = 1 << 16;
    private static final int NO_SPACE = 28;

    private RingFile() {}

    /**
     * Makes an empty ring.
     *
     * @param capacity a power of two
     * @throws Failure of status 5 if there is no room for it
     */
    static void create(Path path, int capacity, Memory.Shared.Mapping mapping) {
        long bytes = Ring.HEADER + (long) capacity;
        allocate(path, bytes);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            Memory.Shared header = mapping.map(file, Ring.HEADER);
            header.putInt(VERSION_AT, VERSION);
            header.putInt(HEADER_AT, Ring.HEADER);
            header.putLong(CAPACITY_AT, capacity);
            header.putLong(LENGTH_AT, bytes);
            // Last: a ring that can be told from other files is complete.
            header.putLongRelease(MAGIC_AT, MAGIC);
        } catch (IOException e) {
            throw refused(path, bytes, e);
        }
    }

    /**
     * A new file of zeros, every page of it there. The blocks are reserved first: where a tmpfs is full, a write to a
     * mapped page would end the process. It is removed when the process ends, unless it was before.
     */
    static void allocate(Path path, long bytes) {
        try {
            Files.deleteIfExists(path);
            TemporaryFiles.track(path);
            int errno = Native.available() ? Native.fallocate(path.toString(), bytes) : 0;
            if (errno == NO_SPACE) {
                throw new IOException("no space left");
            }
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                ByteBuffer zeros = ByteBuffer.allocateDirect(PIECE);
                for (long left = bytes; left > 0; left -= zeros.position()) {
                    zeros.clear().limit((int) Math.min(left, PIECE));
                    file.write(zeros);
                }
            }
        } catch (IOException e) {
            throw refused(path, bytes, e);
        }
    }

    private static Failure refused(Path path, long bytes, IOException cause) {
        return Failure.resource("--dir " + path.toAbsolutePath().getParent() + ": a ring of " + bytes
                + " bytes is needed (" + cause.getMessage() + "); name another directory, or lower --capacity");
    }

    /**
     * A ring that somebody has created.
     *
     * @throws Failure of status 2 that says what is wrong with the file
     */
    static Ring attach(Path path, Memory.Shared.Mapping mapping) {
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw refusal(path, Files.isDirectory(path) ? "cannot be opened: Is a directory" : "not a file");
        }
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long size = file.size();
            if (size < Ring.HEADER) {
                throw refusal(
                        path, "not a ring of this format: %,d bytes long, its header alone has %,d", size, Ring.HEADER);
            }
            long capacity = capacity(path, mapping.map(file, Ring.HEADER), size);
            Ring ring = new Ring(mapping.map(file, size), (int) capacity);
            checkPositions(path, ring);
            return ring;
        } catch (NoSuchFileException e) {
            throw refusal(path, "cannot be opened: No such file or directory");
        } catch (AccessDeniedException e) {
            throw refusal(path, "cannot be opened: Permission denied");
        } catch (IOException e) {
            throw refusal(path, "cannot be opened: %s", e);
        }
    }

    private static long capacity(Path path, Memory.Shared header, long size) {
        long magic = header.getLongAcquire(MAGIC_AT);
        if (magic != MAGIC) {
            throw refusal(path, "not a ring of this format (magic 0x%016x)", magic);
        }
        int version = header.getInt(VERSION_AT);
        if (version != VERSION) {
            throw refusal(path, "version %d, this program knows %d", version, VERSION);
        }
        if (header.getInt(HEADER_AT) != Ring.HEADER) {
            throw refusal(path, "a header of %d bytes, version 1 has %d", header.getInt(HEADER_AT), Ring.HEADER);
        }
        long capacity = header.getLong(CAPACITY_AT);
        if (Long.bitCount(capacity) != 1) {
            throw refusal(path, "capacity %d is not a power of two", capacity);
        }
        if (capacity < Ring.LEAST_CAPACITY || capacity > Ring.MOST_CAPACITY) {
            throw refusal(path, "capacity %d is not from %d to %d", capacity, Ring.LEAST_CAPACITY, Ring.MOST_CAPACITY);
        }
        long length = header.getLong(LENGTH_AT);
        if (length != Ring.HEADER + capacity) {
            throw refusal(path, "capacity %d and a length of %,d: they do not agree", capacity, length);
        }
        if (size != length) {
            throw refusal(
                    path,
                    "%,d bytes long, its header says %,d: %s",
                    size,
                    length,
                    size < length ? "truncated" : "grown");
        }
        return capacity;
    }

    /** Either side may have been killed, so the tail that counts is that of what was committed. */
    private static void checkPositions(Path path, Ring ring) {
        long head = ring.head();
        long tail = ring.tail();
        if (head % 8 != 0 || tail % 8 != 0 || head < 0 || tail < 0) {
            throw refusal(
                    path,
                    "head %d and tail %d, where no record can begin: give a ring that nothing else wrote to",
                    head,
                    tail);
        }
        // The tail once more: a producer that goes on meanwhile may have written records of its next lap.
        if (head > tail && head > ring.committed() && head > ring.tail()) {
            throw refusal(path, "head %d is beyond tail %d", head, tail);
        }
        if (tail - head > ring.capacity) {
            throw refusal(path, "tail %d is further from head %d than its capacity", tail, head);
        }
    }

    private static Failure refusal(Path path, String cause, Object... details) {
        return Failure.argument("--ring", path.toString(), String.format(Locale.ROOT, cause, details));
    }
}
