package lab.experiments.counters;

import java.util.concurrent.locks.ReentrantLock;

/** A plain increment behind a barging ReentrantLock. The compiler does not merge its critical sections. */
final class LockedKernel extends LoopKernel {
    private final ReentrantLock lock = new ReentrantLock();

    @Override
    void operate(int times) {
        SharedWord word = this.word;
        ReentrantLock lock = this.lock;
        for (int i = 0; i < times; i++) {
            lock.lock();
            try {
                word.value++;
            } finally {
                lock.unlock();
            }
        }
    }
}
