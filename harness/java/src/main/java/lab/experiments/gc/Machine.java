package lab.experiments.gc;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;

/** What the virtual machine says of itself: its collector and heap, and by its own counters what they have done. */
final class Machine {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final HotSpotDiagnosticMXBean OPTIONS =
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    /** Found once, for looking for them is hundreds of calls, which would be compiled while something is measured. */
    private static final List<GarbageCollectorMXBean> COUNTERS = ManagementFactory.getGarbageCollectorMXBeans();

    private static final String[] COLLECTORS = {"Serial", "Parallel", "G1", "Z", "Shenandoah", "Epsilon"};

    private Machine() {}

    /** Its collector as the parameter {@code collector} names it. */
    static String collector() {
        for (String name : COLLECTORS) {
            if (option("Use" + name + "GC").equals("true")) {
                return name.equals("Z") ? "zgc" : name.toLowerCase(Locale.ROOT);
            }
        }
        return "unknown";
    }

    /** The value of one of its options; empty where it has none of that name. */
    private static String option(String name) {
        try {
            return OPTIONS.getVMOption(name).getValue();
        } catch (IllegalArgumentException absent) {
            return "";
        }
    }

    /** The most its heap may grow to, bytes. */
    static long heapBytes() {
        return Long.parseLong(option("MaxHeapSize"));
    }

    /** The most its young generation may grow to, bytes. */
    static long youngBytes() {
        return Long.parseLong(option("MaxNewSize"));
    }

    /** Collections so far. One that works beside the program has a counter of its cycles and one of the pauses. */
    static long collections() {
        long sum = 0;
        for (GarbageCollectorMXBean bean : COUNTERS) {
            if (!bean.getName().endsWith("Cycles")) {
                sum += bean.getCollectionCount();
            }
        }
        return sum;
    }

    /** What the calling thread has allocated so far, bytes. */
    static long allocatedByMe() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }
}
