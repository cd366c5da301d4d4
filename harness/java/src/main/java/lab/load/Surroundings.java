package lab.load;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import lab.Recorder;

/** What runtime and kernel add to a trial: collections while it measures, and how late a sleeping thread may wake. */
final class Surroundings {
    private static final Path SLACK = Path.of("/proc/self/timerslack_ns");

    private final Recorder recorder;
    private long before;

    Surroundings(Recorder recorder) {
        this.recorder = recorder;
    }

    /** The first measured iteration comes next. */
    void measuredBegin() {
        before = collections();
    }

    /** The last measured iteration has ended. */
    void measuredEnd() {
        recorder.measure(-1, "", "gc_collections", collections() - before);
    }

    private static long collections() {
        long count = 0;
        for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
            count += each.getCollectionCount();
        }
        return count;
    }

    /** How late the kernel may wake a thread that sleeps for a time; left out where it does not say. */
    void slack() {
        try {
            double slack = Double.parseDouble(Files.readString(SLACK).trim());
            recorder.measure(-1, "", "timer_slack_ns", slack);
        } catch (IOException unknown) {
            return;
        }
    }
}
