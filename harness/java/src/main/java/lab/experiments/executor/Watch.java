package lab.experiments.executor;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import lab.Recorder;
import lab.load.Loading;

/**
 * What the threads of both sides do in a measured iteration besides running tasks: bytes they allocate, and how often the
 * pool's workers leave their CPU. All of it is read from outside, between iterations.
 */
final class Watch implements Loading.Observer {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Recorder recorder;
    private final Crew crew;
    private final Submitter[] submitters;
    private long allocatedBefore;
    private long[] switchesBefore;

    Watch(Recorder recorder, Crew crew, Submitter[] submitters) {
        this.recorder = recorder;
        this.crew = crew;
        this.submitters = submitters;
    }

    @Override
    public void opens(int iteration) {
        allocatedBefore = allocated();
    }

    @Override
    public void ended(int iteration, boolean measured) {
        long allocated = allocated();
        long[] switches = crew.switches();
        if (measured) {
            recorder.measure(iteration, "", "allocated_bytes", allocated - allocatedBefore);
        }
        if (measured && switches != null && switchesBefore != null) {
            recorder.measure(iteration, "", "worker_switches_voluntary", switches[0] - switchesBefore[0]);
            recorder.measure(iteration, "", "worker_switches_involuntary", switches[1] - switchesBefore[1]);
        }
        switchesBefore = switches;
    }

    /** By both sides so far. Before a producer's first iteration has ended its thread is unknown: warm-up. */
    private long allocated() {
        List<Long> ids = new ArrayList<>(crew.ids());
        for (Submitter each : submitters) {
            if (each.producer() != null) {
                ids.add(each.producer().getId());
            }
        }
        long sum = 0;
        for (long id : ids) {
            sum += Math.max(0, THREADS.getThreadAllocatedBytes(id));
        }
        return sum;
    }
}
