package lab.experiments.sharing;

import lab.Worker;

/** Every thread writes the next thread's word. */
final class StrayKernel extends WordsKernel {
    private final ArrayKernel.Volatile kernel;
    private final int threads;

    StrayKernel(int threads) {
        this.threads = threads;
        kernel = new ArrayKernel.Volatile(threads, Long.BYTES);
    }

    @Override
    public void run(Worker worker, int from, int to) {
        int at = kernel.at((worker.index() + 1) % threads);
        for (int iteration = from; iteration < to; iteration++) {
            worker.begin(iteration);
            ArrayKernel.LONG.setVolatile(kernel.words, at, start(worker.index()) - iteration - 1);
            worker.end(System.nanoTime(), 1);
        }
    }

    @Override
    long word(int thread) {
        return kernel.word(thread);
    }

    @Override
    long[] addresses() {
        return kernel.addresses();
    }
}
