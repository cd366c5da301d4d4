package lab.experiments.executor;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import lab.Recorder;
import lab.load.Loading;

/**
 * What the threads of both sides do in a measured iteration besides running tasks: bytes they allocate, how often the
 * pool's workers leave their CPU. All of it is read from outside, between iterations.
 */
final class Watch implements Loading.Observer {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Recorder recorder;
    private final Crew crew;
    private final Submitter[] submitters;
    private long allocatedBefore;
    private long[] switchesBefore;
    private long cpuBefore;

    Watch(Recorder recorder, Crew crew, Submitter[] submitters) {
        this.recorder = recorder;
        this.crew = crew;
        this.submitters = submitters;
    }

    /** What the calling thread has allocated so far. */
    static long allocatedByMe() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    @Override
    public void opens(int iteration) {
        cpuBefore = cpuByWorkers();
        allocatedBefore = byWorkers();
        for (Submitter each : submitters) {
            // Before a producer's first iteration has ended its thread is unknown: warm-up.
            allocatedBefore += each.producer == null ? 0 : by(each.producer.getId());
        }
    }

    @Override
    public void ended(int iteration, boolean measured) {
        long[] switches = crew.switches();
        if (measured && cpuBefore >= 0) {
            recorder.measure(iteration, "worker_cpu_ns", cpuByWorkers() - cpuBefore);
        }
        if (measured) {
            long allocated = byWorkers();
            for (Submitter each : submitters) {
                allocated += each.allocatedBytes;
            }
            recorder.measure(iteration, "allocated_bytes", allocated - allocatedBefore);
        }
        if (measured && switches != null && switchesBefore != null) {
            recorder.measure(iteration, "worker_switches_voluntary", switches[0] - switchesBefore[0]);
            recorder.measure(iteration, "worker_switches_involuntary", switches[1] - switchesBefore[1]);
        }
        switchesBefore = switches;
    }

    /** CPU time of all workers so far; -1 where one's is unknown, as that of the carriers of virtual threads. */
    private long cpuByWorkers() {
        long sum = 0;
        for (long id : crew.ids()) {
            long each = THREADS.getThreadCpuTime(id);
            if (each < 0) {
                return -1;
            }
            sum += each;
        }
        return sum;
    }

    private long byWorkers() {
        long sum = 0;
        for (long id : crew.ids()) {
            sum += by(id);
        }
        return sum;
    }

    /** Nothing is known of the carriers of virtual threads; a task that never blocks allocates nothing there. */
    private static long by(long id) {
        return Math.max(0, THREADS.getThreadAllocatedBytes(id));
    }
}
