package lab.experiments.sharing;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import lab.Series;
import lab.Worker;

/**
 * The published kernel: every thread sets an AtomicLong of its own, allocated in a row with those of the others, plain
 * or padded. The thread keeps its AtomicLong in a local variable instead of fetching it from the array for every write,
 * so that nothing but the words is shared: the array lies right before the first object.
 */
final class AtomicLongKernel extends WordsKernel {
    private static final String VALUE = "value";
    private static final int LINE = 64;
    /** 24 bytes apart, two words lie on two sides of a line's end in 3 starts of 8: more objects, to begin later. */
    private static final int SPARE = 8;

    private final AtomicLong[] words;
    private final boolean padded;

    /** @param padded whether six longs follow each value */
    AtomicLongKernel(int threads, boolean padded) {
        this.padded = padded;
        AtomicLong[] row = new AtomicLong[padded ? threads : threads + SPARE];
        for (int i = 0; i < row.length; i++) {
            row[i] = padded ? new PaddedAtomicLong(0) : new AtomicLong();
        }
        words = crowded(row, threads);
        for (int thread = 0; thread < threads; thread++) {
            words[thread].set(start(thread));
        }
    }

    /** The neighbours in the row of which most share a line; the first ones where the addresses are unknown. */
    private static AtomicLong[] crowded(AtomicLong[] row, int threads) {
        AtomicLong[] best = Arrays.copyOf(row, threads);
        long[] addresses = addresses(row);
        int most = 0;
        for (int from = 0; addresses != null && from + threads <= row.length; from++) {
            int sharing = Neighbours.sharing(Arrays.copyOfRange(addresses, from, from + threads), LINE);
            if (sharing > most) {
                most = sharing;
                best = Arrays.copyOfRange(row, from, from + threads);
            }
        }
        return best;
    }

    @Override
    public void run(Worker worker, int from, int to) {
        AtomicLong word = words[worker.index()];
        Series series = worker.series();
        for (int iteration = from; iteration < to; iteration++) {
            long value = word.get();
            long operations = 0;
            long now;
            long deadline = worker.begin(iteration);
            long before = System.nanoTime();
            do {
                value = batch(word, value);
                operations += BATCH;
                now = System.nanoTime();
                series.add(now - before);
                before = now;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }

    private static long batch(AtomicLong word, long before) {
        long value = before;
        for (int i = 0; i < BATCH; i++) {
            word.set(--value);
        }
        return value;
    }

    @Override
    long word(int thread) {
        return words[thread].get();
    }

    /** The padding of all words added up: 7 for every padded word, unless somebody wrote there. */
    long padding() {
        long sum = 0;
        for (AtomicLong word : words) {
            sum += word instanceof PaddedAtomicLong ? ((PaddedAtomicLong) word).padding() : 0;
        }
        return sum;
    }

    @Override
    long[] addresses() {
        return addresses(words);
    }

    private static long[] addresses(AtomicLong[] words) {
        Map<String, Long> offsets = Layout.offsets(AtomicLong.class, VALUE);
        return offsets.isEmpty() ? null : Layout.addresses(words, offsets.get(VALUE));
    }

    @Override
    Map<String, Long> offsets() {
        Map<String, Long> offsets = new LinkedHashMap<>(Layout.offsets(AtomicLong.class, VALUE));
        if (padded) {
            offsets.putAll(Layout.offsets(PaddedAtomicLong.class, "p1", "p2", "p3", "p4", "p5", "p6"));
        }
        return offsets;
    }

    /**
     * An AtomicLong with six longs behind its value, as published in 2011: 8 + 48 bytes, and an object header, are more
     * than a line of 64. As published only the last one is initialised.
     */
    static final class PaddedAtomicLong extends AtomicLong {
        private static final long serialVersionUID = 1L;

        volatile long p1;
        volatile long p2;
        volatile long p3;
        volatile long p4;
        volatile long p5;
        volatile long p6 = 7;

        PaddedAtomicLong(long value) {
            super(value);
        }

        /** Reads the padding, so that no compiler may take it for unused. */
        long padding() {
            return p1 + p2 + p3 + p4 + p5 + p6;
        }
    }
}
