package lab;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * The file of a {@link Meeting}. Each part holds a lock on the byte that has its number, which the kernel lifts when
 * the process ends, however it ends.
 */
final class MeetingFile {
    private static final int MAGIC_AT = 0;
    private static final long MAGIC =
            (long) Meeting.View.LONGS.get(ByteBuffer.wrap("LABMEET1".getBytes(StandardCharsets.US_ASCII)), MAGIC_AT);

    private final FileChannel channel;
    private final int part;
    private final int parts;
    final ByteBuffer page;

    private MeetingFile(FileChannel channel, int part, int parts) throws IOException {
        this.channel = channel;
        this.part = part;
        this.parts = parts;
        page = channel.map(FileChannel.MapMode.READ_WRITE, 0, Meeting.BYTES);
    }

    /** Opens, maps and locks it; a {@link Failure} of status 2 that says what is wrong with it, or of status 5. */
    static MeetingFile open(String name, int part, int parts) {
        try {
            Path path = Path.of(name);
            if (!Files.exists(path)) {
                throw Failure.argument("--meet", name, "there is no such file");
            }
            if (!Files.isRegularFile(path) || Files.size(path) != Meeting.BYTES) {
                throw Failure.argument("--meet", name, "not a meeting page: it must be a file of 4096 bytes");
            }
            MeetingFile opened = new MeetingFile(
                    FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE), part, parts);
            long found = (long) Meeting.View.LONGS.compareAndExchange(opened.page, MAGIC_AT, 0L, MAGIC);
            if (found != 0 && found != MAGIC) {
                throw Failure.argument(
                        "--meet", name, String.format(Locale.ROOT, "not a meeting page: it begins with 0x%x", found));
            }
            if (!opened.lock()) {
                throw Failure.argument(
                        "--part", part + "/" + parts, "another process is this part of " + name + " already");
            }
            return opened;
        } catch (InvalidPathException e) {
            throw Failure.argument("--meet", name, "is not a file name");
        } catch (IOException e) {
            throw Failure.resource("--meet " + name + ": cannot be mapped: " + e);
        }
    }

    private boolean lock() {
        try {
            return channel.tryLock(part, 1, false) != null;
        } catch (OverlappingFileLockException sameProcess) {
            return false;
        } catch (IOException noLocksHere) {
            return true;
        }
    }

    /** Whether one of the other parts does not hold its lock; false where the file system has none. */
    boolean othersAbsent() {
        for (int other = 0; other < parts; other++) {
            if (other == part) {
                continue;
            }
            try (FileLock free = channel.tryLock(other, 1, true)) {
                if (free != null) {
                    return true;
                }
            } catch (OverlappingFileLockException sameProcess) {
                continue;
            } catch (IOException noLocksHere) {
                return false;
            }
        }
        return false;
    }
}
