package lab.experiments.gc;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/** What the virtual machine says of itself: its collector and heap, and by its own counters what they have done. */
final class Machine {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final HotSpotDiagnosticMXBean OPTIONS =
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
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

    /** Collections so far. One that works beside the program has a counter of its cycles and one of the pauses. */
    static long collections() {
        long sum = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
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

    /** Nanoseconds of processor time of all threads but the calling one: of the collector and the compilers. */
    static long usedByOthers() {
        return SYSTEM.getProcessCpuTime() - THREADS.getCurrentThreadCpuTime();
    }
}
