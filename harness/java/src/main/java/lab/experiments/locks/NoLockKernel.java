package lab.experiments.locks;

import lab.Worker;

/** No protection, for one thread: what everything else is compared with. */
final class NoLockKernel extends LockKernel {
    /** @param chunk operations from one look at the deadline to the next */
    NoLockKernel(SharedCounter counter, int chunk) {
        super(counter, chunk, new Owner[0]);
    }

    @Override
    public void run(Worker worker, int from, int to) {
        SharedCounter counter = this.counter;
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long now;
            long deadline = worker.begin(iteration);
            do {
                for (int i = 0; i < chunk; i++) {
                    counter.incrementOpaque();
                }
                now = System.nanoTime();
                operations += chunk;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }
}
