package lab;

import java.nio.file.Path;
import java.util.Arrays;

/**
 * One configuration to run once, and where its result goes.
 *
 * @param experiment the question
 * @param variant    a supported variant of it
 * @param parameters everything else, typed and inside its limits
 * @param cpus       worker i belongs on {@code cpus[i % cpus.length]}; empty: not pinned
 * @param out        the histogram log to leave
 * @param meeting    where it meets the other parts, if it is one of several
 * @param recorder   receives rows, measures and checks
 * @param phases     what it consists of unless its experiment says otherwise: warm-up, then measured iterations
 * @param compilations what this virtual machine compiles meanwhile
 */
public record Trial(
        Experiment experiment,
        String variant,
        Parameters parameters,
        int[] cpus,
        Path out,
        Meeting meeting,
        Recorder recorder,
        Phases phases,
        Compilations compilations) {

    /** Worker threads. */
    public int threads() {
        return parameters.getInt("threads");
    }

    /** A {@link Failure} of status 2, which says what is accepted, unless there are so many worker threads. */
    public void requireThreads(int threads, String accepted) {
        if (threads() != threads) {
            throw parameters.refused("threads", accepted);
        }
    }

    /** Different CPUs the workers may run on: those they are pinned to, or all of this process. */
    public int usableCpus() {
        return cpus.length == 0
                ? Runtime.getRuntime().availableProcessors()
                : (int) Arrays.stream(cpus).distinct().count();
    }

    /** Whether workers have to share CPUs, so that a spinning wait must yield. */
    public boolean oversubscribed() {
        return threads() > usableCpus();
    }

    /** Warm-up and measured iterations together, with those that were added so far. */
    public int iterations() {
        return phases.iterations();
    }

    /** Target length of one iteration in nanoseconds. */
    public long iterationNanos() {
        return parameters.getLong("iteration-ms") * 1_000_000;
    }

    /** Whether the iteration (counted from 0) is past the warm-up. */
    public boolean measured(int iteration) {
        return phases.measured(iteration);
    }

    /** {@code warmup} or {@code measured}. */
    public String phase(int iteration) {
        return phases.of(iteration).name();
    }
}
