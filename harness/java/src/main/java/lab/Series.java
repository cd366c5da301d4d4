package lab;

import java.util.Arrays;

/**
 * One tag of the log. {@link #add} stores samples during an iteration; {@link #close} turns them into one line after
 * it. The one belongs to the thread that measures, the other and {@link Recorder#append} to the one that writes.
 */
public final class Series {
    private static final int CAPACITY = 1 << 14;

    final String tag;
    private final Encoder encoder;

    /**
     * Slot 0 holds the number of samples, so that the only words written during an iteration lie inside this array:
     * a counter in the object itself could share a cache line with the counter of another thread's series.
     */
    private long[] samples = new long[CAPACITY];

    /** Pairs of a value and how often it counts, {@code samples[0]} of them as above. */
    private long[] repeated = new long[1];

    int iteration;
    String phase;
    long startNanos;
    long elapsedNanos;
    long operations;
    byte[] line;
    long outside;
    long firstOutside;

    Series(String tag, Encoder encoder) {
        this.tag = tag;
        this.encoder = encoder;
    }

    /**
     * Stores one duration in nanoseconds. The buffer holds 16 thousand samples and then doubles: a long iteration
     * pays for a copy, once.
     */
    public void add(long nanos) {
        int slot = (int) samples[0] + 1;
        if (slot == samples.length) {
            samples = Arrays.copyOf(samples, 2 * samples.length);
        }
        samples[slot] = nanos;
        samples[0] = slot;
    }

    /** Stores one value that counts that often; not for timed stretches. */
    public void add(long value, long times) {
        if (times == 0) {
            return;
        }
        int pairs = (int) repeated[0];
        if (2 * pairs + 2 >= repeated.length) {
            repeated = Arrays.copyOf(repeated, 2 * repeated.length + 2);
        }
        repeated[2 * pairs + 1] = value;
        repeated[2 * pairs + 2] = times;
        repeated[0] = pairs + 1;
    }

    /**
     * Ends an iteration: folds its samples into a histogram and encodes that. A sample outside the histogram's range
     * is counted, and fails the trial at its end.
     *
     * @param startNanos when the timed stretch began, as {@link System#nanoTime()} gave it
     * @param endNanos   when it ended
     * @param operations operations completed in it
     */
    public void close(int iteration, String phase, long startNanos, long endNanos, long operations) {
        this.iteration = iteration;
        this.phase = phase;
        this.startNanos = startNanos;
        this.elapsedNanos = endNanos - startNanos;
        this.operations = operations;
        line = encoder.encode(this, samples, repeated);
        samples[0] = 0;
        repeated[0] = 0;
    }

    void rejected(long value) {
        if (outside++ == 0) {
            firstOutside = value;
        }
    }
}
