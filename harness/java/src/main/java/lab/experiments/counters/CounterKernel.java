package lab.experiments.counters;

import lab.Trial;
import lab.Workers;

/**
 * The hot loop of one way to count. Every operation adds 1 to a counter that all workers share; the last operation of
 * every chunk of {@code sampleEvery} is timed, clock to clock, and is the sample. Each kernel has a loop of its own,
 * written out: a shared loop would reach the counter through one call site, compiled for all of them.
 */
abstract class CounterKernel implements Workers.Body {
    int sampleEvery;
    /** By worker: what {@link #event} names, in its last iteration. Written between timed stretch and barrier. */
    private long[] events;

    /** All increments so far, as the workers say. */
    private long increments;

    /** Runs the trial, leaves the events of every iteration, and checks that no increment was lost. */
    final void measure(Trial trial) {
        sampleEvery = trial.parameters().getInt("sample-every");
        events = new long[trial.threads()];
        Workers.platform(trial)
                .afterIteration((iteration, operations) -> {
                    increments += sum(operations);
                    if (!event().isEmpty()) {
                        trial.recorder().measure(iteration, event(), sum(events));
                    }
                })
                .run(this);
        trial.recorder().check("counter equals increments", increments, value());
    }

    /** By a loop: the classes of streams would be loaded for nothing else. */
    private static long sum(long[] values) {
        long sum = 0;
        for (long each : values) {
            sum += each;
        }
        return sum;
    }

    /** The count: all increments so far, once the workers have met at a barrier. */
    abstract long value();

    /** What is counted beside operations, as the name of a measure; empty for nothing. */
    String event() {
        return "";
    }

    final void counted(int worker, long number) {
        events[worker] = number;
    }
}
