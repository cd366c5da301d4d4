package lab.experiments.sharing;

import lab.Series;
import lab.Worker;

/** Atomic additions of -1, whose result nobody uses: one locked instruction on x86. */
final class ArrayAddKernel extends ArrayKernel {
    /** @param distance bytes from one thread's word to the next, a multiple of 8 */
    ArrayAddKernel(int threads, int distance) {
        super(threads, distance);
    }

    @Override
    public void run(Worker worker, int from, int to) {
        Series series = worker.series();
        int at = at(worker.index());
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long now;
            long deadline = worker.begin(iteration);
            long before = System.nanoTime();
            do {
                batch(words, at);
                operations += BATCH;
                now = System.nanoTime();
                series.add(now - before);
                before = now;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }

    private static void batch(long[] words, int at) {
        for (int i = 0; i < BATCH; i++) {
            long unused = (long) LONG.getAndAdd(words, at, -1L);
        }
    }
}
