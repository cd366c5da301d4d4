package lab.experiments.ipc;

import lab.Native;
import lab.Phases;
import lab.Recorder;
import lab.Series;
import lab.Worker;

/**
 * What an end does in an iteration. Ping decides when it is over, and its last message says so.
 *
 * <p>Loops over the messages of an iteration are methods that take some of them and are called again and again, so that
 * they soon run in code that was compiled as a whole. In every other iteration of the warm-up they take one, and so are
 * called often enough where messages are slow, without forgetting what they do later.
 */
abstract class Pattern {
    final Setup setup;
    final Recorder recorder;
    private final Phases phases;
    private long startNanos;
    private long[] used;

    Pattern(Setup setup, Phases phases) {
        this.setup = setup;
        this.phases = phases;
        recorder = setup.trial().recorder();
    }

    /** An iteration of the end that sends. */
    abstract void ping(Worker worker, int iteration);

    /** An iteration of the end that answers. */
    abstract void pong(Worker worker, int iteration);

    /** Leaves the checks. */
    abstract void check();

    /** How many messages a method takes that is called again and again. */
    final int chunk(int iteration, int most) {
        return phases.measured(iteration) || iteration % 2 == 0 ? most : 1;
    }

    /** Whether the iteration is before the trial counts. */
    final boolean warmup(int iteration) {
        return !phases.measured(iteration);
    }

    /** Whether the iteration is one of the bare word. */
    final boolean words(int iteration) {
        return Schedule.words(phases.of(iteration));
    }

    /** Meets the other end; the deadline. */
    final long begin(Worker worker, int iteration) {
        long deadline = worker.begin(iteration);
        used = used();
        startNanos = System.nanoTime();
        return deadline;
    }

    /** Of this thread so far; null where nobody knows. */
    private static long[] used() {
        return Native.available() ? Native.used() : null;
    }

    /** When the iteration began. */
    final long start() {
        return startNanos;
    }

    /**
     * Ends the iteration with rows of the same stretch and operations.
     *
     * @param measures leaves those of the iteration, besides what it used of this thread
     */
    final void end(Worker worker, int iteration, long endNanos, long operations, Runnable measures, Series... rows) {
        long[] before = used;
        long[] after = used();
        worker.end(operations, new Runnable() {
            @Override
            public void run() {
                for (Series row : rows) {
                    recorder.append(row, iteration, phases.of(iteration).name(), startNanos, endNanos, operations);
                }
                if (before != null && after != null) {
                    measureUse(iteration, before, after);
                }
                measures.run();
            }
        });
    }

    /** The same without measures of its own. */
    final void end(Worker worker, int iteration, long endNanos, long operations, Series... rows) {
        end(worker, iteration, endNanos, operations, Pattern::nothing, rows);
    }

    private static void nothing() {}

    /** The page faults, and CPU time and sleeps of who receives: who sends on a schedule spins until then. */
    private void measureUse(int iteration, long[] before, long[] after) {
        Phases.Phase phase = phases.of(iteration);
        if (Schedule.words(phase) || Schedule.wakes(phase)) {
            return;
        }
        measure(iteration, "minor_faults", after[2] - before[2]);
        if (setup.receives()) {
            measure(iteration, "cpu_ns", after[0] - before[0]);
            measure(iteration, "slept", after[1] - before[1]);
        }
    }

    final void measure(int iteration, String name, double value) {
        recorder.measure(iteration, name, value);
    }
}
