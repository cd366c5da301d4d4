package lab.experiments.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel counts of a thread's reading; looked up outside the timed stretches. */
final class DeviceBytes {
    private static final Path COUNTERS = Path.of("/proc/thread-self/io");
    private static final String NAME = "read_bytes: ";

    private DeviceBytes() {}

    /**
     * Bytes that the calling thread has fetched from devices since it began, or -1 where the kernel does not count
     * them. Reading ahead and the page faults of a mapping count for the thread that caused them.
     */
    static long ofThisThread() {
        try {
            for (String line : Files.readAllLines(COUNTERS)) {
                if (line.startsWith(NAME)) {
                    return Long.parseLong(line.substring(NAME.length()));
                }
            }
        } catch (IOException e) {
            return -1;
        }
        return -1;
    }
}
