package lab.experiments.notify;

/** Object.notify inside a synchronized block. */
class MonitorPair extends Pair {
    private final Object lock = new Object();
    /** Guarded by the lock. */
    private long slot;

    @Override
    void send(long sequence) {
        long before = System.nanoTime();
        long called;
        long returned;
        synchronized (lock) {
            slot = sequence;
            called = System.nanoTime();
            lock.notify();
            returned = System.nanoTime();
        }
        record(returned - called, System.nanoTime() - before);
    }

    @Override
    void receive() {
        synchronized (lock) {
            while (true) {
                while (slot == last()) {
                    sleep();
                }
                if (slot == STOP) {
                    return;
                }
                take(slot);
            }
        }
    }

    private void sleep() {
        try {
            lock.wait();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts a waiter", e);
        }
    }

    @Override
    void stop() {
        synchronized (lock) {
            slot = STOP;
            lock.notify();
        }
    }

    /** The waiter acknowledges inside the monitor: whoever gets the monitor after that finds it in wait(). */
    @Override
    void asleep() {
        synchronized (lock) {
            if (slot != sent) {
                throw new IllegalStateException("the slot was overwritten");
            }
        }
    }
}
