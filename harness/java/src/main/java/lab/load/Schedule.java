package lab.load;

import java.util.Arrays;
import java.util.Locale;
import lab.Failure;

/**
 * When one producer sends its events in one iteration: their due times in nanoseconds from the start, made before it.
 * A schedule without rate has all of them due at the start, and as many as are sent until the limit.
 */
final class Schedule {
    /** The longest schedule of one iteration; longer ones would be mostly a test of the memory behind them. */
    static final int MOST = 1 << 23;

    private static final int NONE_DUE_LATER = 1 << 20;
    private static final int BURST = 64;

    /** Due times; valid up to {@link #events}. */
    long[] due = new long[NONE_DUE_LATER];
    /** How many events are due. */
    int events;
    /** Up to where due times may be other than 0. */
    private int written;

    /** When sending ends, whatever is left, in nanoseconds from the start. */
    long limit;

    /** All due at once, sent until the limit. */
    void saturated(long nanos) {
        Arrays.fill(due, 0, written, 0);
        written = 0;
        events = due.length;
        limit = nanos;
    }

    /** Nothing is due. */
    void empty() {
        limit = Long.MAX_VALUE;
        events = 0;
    }

    /**
     * Events at a rate.
     *
     * @param place  where in the arrivals this producer's stretch of this iteration begins
     * @param rate   events per second
     * @param nanos  the last event is due before this
     * @param group  events due at once
     */
    private void paced(Arrivals arrivals, int place, double rate, long nanos, int group) {
        limit = Long.MAX_VALUE;
        events = 0;
        double scale = 1e9 / rate * group;
        double sum = 0;
        for (long arrival = 0; ; arrival++) {
            sum += arrivals.gap(place, arrival);
            long at = (long) (sum * scale);
            if (at >= nanos) {
                written = Math.max(written, events);
                return;
            }
            if (events + group > MOST) {
                throw tooMany(rate, nanos);
            }
            if (events + group > due.length) {
                due = Arrays.copyOf(due, 2 * due.length);
            }
            for (int i = 0; i < group; i++) {
                due[events++] = at;
            }
        }
    }

    void paced(Arrivals arrivals, int place, double rate, long nanos) {
        paced(arrivals, place, rate, nanos, 1);
    }

    /** As paced, but in groups that are due at once. */
    void bursts(Arrivals arrivals, int place, double rate, long nanos) {
        paced(arrivals, place, rate, nanos, BURST);
    }

    static Failure tooMany(double rate, long nanos) {
        return Failure.argument(
                "--iteration-ms",
                Long.toString(nanos / 1_000_000),
                String.format(
                        Locale.ROOT,
                        "at %.3g events/s (--rate or --load) these are more than %d events; lower either",
                        rate,
                        MOST));
    }

    /** The first event that is late enough to be sampled: past the first tenth, and past the first millisecond. */
    int settled() {
        int first = events / 10;
        while (first < events && due[first] < 1_000_000) {
            first++;
        }
        return first;
    }

    /** Sum of the due times of the first so many events: the same fault in two iterations does not undo itself. */
    long content(long sent) {
        long content = 0;
        for (int i = 0; i < sent; i++) {
            content += due[i];
        }
        return content;
    }
}
