package lab.experiments.locks;

import lab.Worker;

/** Increments without a lock, and gives way between load and store so that updates are lost even on one CPU. */
final class BrokenKernel extends LockKernel {
    BrokenKernel(int chunk) {
        super(new SharedCounter(), chunk, new Owner[0]);
    }

    @Override
    public void run(Worker worker, int from, int to) {
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long deadline = worker.begin(iteration);
            while (System.nanoTime() < deadline) {
                long count = counter.value;
                Thread.yield();
                counter.value = count + 1;
                operations++;
            }
            worker.end(System.nanoTime(), operations);
        }
    }
}
