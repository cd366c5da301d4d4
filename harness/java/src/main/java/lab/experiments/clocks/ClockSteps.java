package lab.experiments.clocks;

import lab.Recorder;
import lab.Series;

/**
 * The steps of a stretch of back-to-back readings: the differences of neighbours. Those above 0 are samples; those of
 * 0 and below have no place in a histogram of durations and are counted instead.
 */
final class ClockSteps {
    /** What {@link #smallest} is without a step above 0. */
    static final long NONE = Long.MAX_VALUE;

    /** Nanoseconds of all steps together, from what was recorded. */
    long sum;

    private long zero;
    /** How often the clock stepped back. */
    long backward;
    /** Nanoseconds of the smallest step above 0, or {@link #NONE}. */
    long smallest = NONE;

    private final int count;

    /** @param readings of which the first {@code count} are looked at, in units of so many nanoseconds */
    ClockSteps(long[] readings, int count, long unitNanos, Series series) {
        this.count = count - 1;
        for (int i = 1; i < count; i++) {
            long step = (readings[i] - readings[i - 1]) * unitNanos;
            sum += step;
            if (step > 0) {
                series.add(step);
                smallest = Math.min(smallest, step);
            } else if (step == 0) {
                zero++;
            } else {
                backward++;
            }
        }
    }

    /** Leaves the counts as measures of the iteration. */
    void measure(Recorder recorder, int iteration) {
        recorder.measure(iteration, "steps", count);
        recorder.measure(iteration, "zero_steps", zero);
        recorder.measure(iteration, "backward_steps", backward);
    }
}
