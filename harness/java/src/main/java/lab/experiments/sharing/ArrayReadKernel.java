package lab.experiments.sharing;

import lab.Series;
import lab.Worker;

/**
 * The first thread writes its word with release stores; every other reads its own, which nobody writes, and so must see
 * the same value for ever. Opaque reads are neither merged nor moved out of the loop.
 */
final class ArrayReadKernel extends ArrayKernel {
    private static final int WRITER = 0;
    /** By thread, on lines of their own: reads that saw another value. Written after a timed stretch. */
    private final long[][] strange;

    /** @param distance bytes from one thread's word to the next, a multiple of 8 */
    ArrayReadKernel(int threads, int distance) {
        super(threads, distance);
        strange = new long[threads][16];
    }

    @Override
    boolean writes(int thread) {
        return thread == WRITER;
    }

    @Override
    long strange() {
        long sum = 0;
        for (long[] each : strange) {
            sum += each[0];
        }
        return sum;
    }

    @Override
    public void run(Worker worker, int from, int to) {
        Series series = worker.series();
        int index = worker.index();
        int at = at(index);
        long expected = start(index);
        for (int iteration = from; iteration < to; iteration++) {
            long value = word(index);
            long seen = 0;
            long operations = 0;
            long now;
            long deadline = worker.begin(iteration);
            long before = System.nanoTime();
            do {
                if (index == WRITER) {
                    value = write(words, at, value);
                } else {
                    seen += read(words, at, expected);
                }
                operations += BATCH;
                now = System.nanoTime();
                series.add(now - before);
                before = now;
            } while (now - deadline < 0);
            strange[index][0] += seen;
            worker.end(now, operations);
        }
    }

    private static long write(long[] words, int at, long before) {
        long value = before;
        for (int i = 0; i < BATCH; i++) {
            LONG.setRelease(words, at, --value);
        }
        return value;
    }

    private static long read(long[] words, int at, long expected) {
        long other = 0;
        for (int i = 0; i < BATCH; i++) {
            other += (long) LONG.getOpaque(words, at) != expected ? 1 : 0;
        }
        return other;
    }
}
