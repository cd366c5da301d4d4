package lab.jmh;

import lab.Native;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Pins worker <i>i</i> to the <i>i</i>-th CPU of {@code -Dlab.cpus=a,b}, as the harness does. Whether two threads share
 * a CPU decides what a contended lock costs, so it must not be left to the scheduler of one side.
 */
@State(Scope.Thread)
public class Placement {
    /** Before every iteration, outside its time: a thread pinned once may not be the one that runs the next. */
    @Setup(Level.Iteration)
    public void pin(ThreadParams thread) {
        pin(thread.getThreadIndex());
    }

    /** Pins the calling thread as worker {@code index}. */
    static void pin(int index) {
        String[] cpus = System.getProperty("lab.cpus").split(",");
        int cpu = Integer.parseInt(cpus[index % cpus.length]);
        int errno = Native.pin(cpu);
        if (errno != 0) {
            throw new IllegalStateException("cannot pin to CPU " + cpu + ": errno " + errno);
        }
    }
}
