package lab;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Where workers meet without sleeping, so that all leave within a cache-line transfer of each other. A waiter spins;
 * it yields instead when there are more workers than CPUs (it may be holding the CPU the last one needs), and after a
 * long wait, for the host may be shared. A virtual thread sleeps instead of yielding: the scheduler prefers the local
 * queue a yield puts it back into, so that two yielding threads can starve all those that have not arrived yet.
 */
final class Barrier {
    private static final int PATIENCE = 20_000;
    private static final long NAP_NANOS = 20_000;
    private static final Runnable NOTHING = () -> {};

    /** Thrown out of the barrier once another worker has failed and will never arrive. */
    static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Broken() {
            super("another worker failed", null, false, false);
        }
    }

    private final int parties;
    private final int patience;
    private final boolean virtual;
    /** Arrivals since the beginning. The round of arrival n is full at the next multiple of the parties. */
    private final AtomicLong arrivals = new AtomicLong();
    /** Rounds that all parties may leave. */
    private final AtomicLong rounds = new AtomicLong();

    private final AtomicInteger broken = new AtomicInteger();

    Barrier(Trial trial, boolean virtual) {
        this.parties = trial.threads();
        this.virtual = virtual;
        this.patience = trial.oversubscribed() ? 0 : PATIENCE;
    }

    /** Returns when all parties have arrived. */
    void await() {
        await(NOTHING);
    }

    /**
     * Returns when all parties have arrived.
     *
     * @param opening run by the last to arrive before anyone leaves; all see what it wrote
     */
    void await(Runnable opening) {
        long before = arrivals.getAndIncrement();
        long round = before / parties;
        if (before % parties == parties - 1) {
            opening.run();
            rounds.set(round + 1);
        }
        int spins = 0;
        while (rounds.get() <= round) {
            if (broken.get() != 0) {
                throw new Broken();
            }
            if (spins < patience) {
                spins++;
                Thread.onSpinWait();
            } else if (virtual) {
                LockSupport.parkNanos(NAP_NANOS);
            } else {
                Thread.yield();
            }
        }
    }

    /** Changes as long as the parties arrive. */
    long arrivals() {
        return arrivals.get();
    }

    /** Sends everyone who waits, or will, away. */
    void breakUp() {
        broken.set(1);
    }
}
