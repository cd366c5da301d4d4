package lab.load;

import java.util.Arrays;
import java.util.function.ObjDoubleConsumer;

/**
 * How large the batches of one consumer are, and how long an event of them takes: sums over every 16th, for a line
 * through duration against size, and counts of all by powers of two.
 */
final class Batches extends Padding {
    private static final int EVERY = 16;
    private static final int SIZES = 32;

    /** Word 0 to 31: batches by the power of two that their size reaches. */
    private final long[] bins = new long[SIZES];

    private long batches;
    private long idleLooks;
    private long began;
    private boolean timing;
    private long timed;
    private double timedEvents;
    private double nanos;
    private double squares;
    private double products;

    void begins() {
        timing = (batches & (EVERY - 1)) == 0;
        if (timing) {
            began = System.nanoTime();
        }
    }

    void ends(long events, boolean none) {
        if (events == 0) {
            return;
        }
        batches++;
        bins[63 - Long.numberOfLeadingZeros(events)]++;
        if (none) {
            idleLooks++;
        }
        if (timing) {
            double took = System.nanoTime() - began;
            timed++;
            timedEvents += events;
            nanos += took;
            squares += (double) events * events;
            products += events * took;
        }
    }

    void clear() {
        Arrays.fill(bins, 0);
        batches = 0;
        idleLooks = 0;
        timed = 0;
        timedEvents = 0;
        nanos = 0;
        squares = 0;
        products = 0;
    }

    /** Gives each measure that there is, by name. */
    void measures(ObjDoubleConsumer<String> measure) {
        if (batches == 0) {
            return;
        }
        measure.accept("batches", timed);
        measure.accept("batch_events", timedEvents);
        measure.accept("batch_ns", nanos);
        measure.accept("batch_n2", squares);
        measure.accept("batch_n_ns", products);
        measure.accept("idle_looks", idleLooks);
        for (int bin = 0; bin < SIZES; bin++) {
            if (bins[bin] > 0) {
                measure.accept("batch_size_" + (1L << bin), bins[bin]);
            }
        }
    }
}
