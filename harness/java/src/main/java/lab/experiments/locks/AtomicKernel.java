package lab.experiments.locks;

import lab.Worker;

/** getAndAdd, one locked instruction on x86: the control without a lock. */
final class AtomicKernel extends LockKernel {
    AtomicKernel(SharedCounter counter, int chunk, Owner[] owners) {
        super(counter, chunk, owners);
    }

    @Override
    public void run(Worker worker, int from, int to) {
        SharedCounter counter = this.counter;
        Owner owner = owners[worker.index()];
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long next = -1;
            long now;
            long deadline = worker.begin(iteration);
            do {
                for (int i = 0; i < chunk; i++) {
                    next = owner.entered(counter.incrementAtomic(), next);
                }
                now = System.nanoTime();
                owner.ended(now, next);
                operations += chunk;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }
}
