package lab.experiments.sharing;

import lab.Series;
import lab.Worker;

/** Volatile stores: on x86 a store and a locked instruction that waits until the store is visible. */
final class ArrayVolatileKernel extends ArrayKernel {
    /** @param distance bytes from one thread's word to the next, a multiple of 8 */
    ArrayVolatileKernel(int threads, int distance) {
        super(threads, distance);
    }

    @Override
    public void run(Worker worker, int from, int to) {
        Series series = worker.series();
        int at = at(worker.index());
        for (int iteration = from; iteration < to; iteration++) {
            long value = word(worker.index());
            long operations = 0;
            long now;
            long deadline = worker.begin(iteration);
            long before = System.nanoTime();
            do {
                value = batch(words, at, value);
                operations += BATCH;
                now = System.nanoTime();
                series.add(now - before);
                before = now;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }

    private static long batch(long[] words, int at, long before) {
        long value = before;
        for (int i = 0; i < BATCH; i++) {
            LONG.setVolatile(words, at, --value);
        }
        return value;
    }
}
