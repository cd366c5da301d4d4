package lab.experiments.notify;

import java.util.Arrays;
import lab.Failure;
import lab.Native;

/**
 * A notifier and its waiter, and the one sequence number that lies between them. Each number is handed over once: the
 * notifier publishes the next one and wakes the waiter only when the waiter has taken the last one and sleeps again,
 * so that every timed notification finds somebody to wake, and none can be lost by coming too early or too often.
 *
 * <p>Waiting for the waiter (or for the time of a paced notification) keeps the notifier runnable: it yields where
 * there are more threads than CPUs. So there are always as many runnable threads as pairs.
 */
abstract class Pair {
    /** In place of a sequence number: the waiter ends. */
    static final long STOP = -1;
    /** Every so many notifications the thread's context switches are read before and after the block. */
    private static final int WATCH_EVERY = 8;

    private static final long PATIENCE_MILLIS = 10_000;

    private final Thread waiter;
    private boolean yields;

    // The notifier's own.
    private long[] notifyNanos;
    private long[] blockNanos;
    /** Samples of the last iteration, as are the four below. */
    int samples;
    /** When the iteration began, on the scale of {@link System#nanoTime()}. */
    long startNanos;
    /** When its last number had been taken. */
    long endNanos;
    /** Numbers sent so far. */
    long sent;
    /** Notifications around which context switches were read. */
    long watched;

    private final long[] switches = new long[2];

    // The waiter's own.
    /** Numbers taken so far; call it after {@link #end}. */
    long taken;
    /** Numbers taken that were the successor of the one before; call it after {@link #end}. */
    long inOrder;

    private long last;

    /** The last number the waiter took. */
    private volatile long acknowledged;

    private volatile Throwable failure;

    Pair() {
        waiter = new Thread(this::live, "waiter");
        waiter.setDaemon(true);
    }

    /** Publishes a sequence number and wakes the waiter; calls {@link #record} once. */
    abstract void send(long sequence);

    /** The waiter's life: sleeps, and calls {@link #take} for every number it finds, until it finds {@link #STOP}. */
    abstract void receive();

    /** Lets the waiter find {@link #STOP}. */
    abstract void stop();

    /** Returns once the waiter, which has taken the last number, cannot be found awake by the next notification. */
    abstract void asleep();

    /**
     * Starts the waiter; a {@link Failure} of status 5 if the system refuses.
     *
     * @param notifies most notifications of one iteration
     * @param yields   whether the notifier gives its CPU away while it waits
     */
    final void start(int notifies, boolean yields) {
        this.yields = yields;
        notifyNanos = new long[notifies];
        blockNanos = new long[notifies];
        try {
            waiter.start();
        } catch (OutOfMemoryError e) {
            throw Failure.resource("--pairs: the system refuses two threads for each of so many pairs");
        }
    }

    /** Ends the waiter and waits for its end. */
    final void end() {
        if (!waiter.isAlive()) {
            return;
        }
        // Nobody looks at it but a notifier that waits for what it will not get: the trial has failed.
        failure = new IllegalStateException("it was ended");
        stop();
        try {
            waiter.join(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the main thread", e);
        }
    }

    private void live() {
        try {
            receive();
        } catch (Throwable e) {
            failure = e;
        }
    }

    /**
     * An iteration of the notifier.
     *
     * @param count     notifications, at most as many as the pair was made for
     * @param paceNanos time from one notification's due time to the next one's; 0: as fast as the waiter follows
     * @param watches   whether context switches are read, every few notifications
     */
    final void run(int count, long paceNanos, boolean watches) {
        samples = 0;
        watched = 0;
        Arrays.fill(switches, 0);
        startNanos = System.nanoTime();
        for (int i = 0; i < count; i++) {
            awaitTime(startNanos + i * paceNanos);
            awaitWaiter();
            boolean watching = watches && i % WATCH_EVERY == 0;
            long[] before = watching ? Native.contextSwitches() : null;
            send(++sent);
            if (watching) {
                count(before, Native.contextSwitches());
            }
        }
        awaitTaken();
        endNanos = System.nanoTime();
    }

    private void count(long[] before, long[] after) {
        watched++;
        for (int kind = 0; kind < switches.length; kind++) {
            switches[kind] += after[kind] - before[kind];
        }
    }

    private void awaitTime(long dueNanos) {
        while (System.nanoTime() - dueNanos < 0) {
            pause();
        }
    }

    /** Returns when the next notification will find the waiter asleep. */
    void awaitWaiter() {
        awaitTaken();
        asleep();
    }

    private void awaitTaken() {
        while (acknowledged != sent) {
            pause();
        }
    }

    /** One turn of the notifier's waiting. */
    final void pause() {
        if (failure != null) {
            throw new IllegalStateException("the waiter failed: " + failure, failure);
        }
        if (yields) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    /** The state of the waiter's thread. */
    final Thread.State waiterState() {
        return waiter.getState();
    }

    /** Keeps the durations of one notification: the waking call alone, and the whole block around it. */
    final void record(long notify, long block) {
        notifyNanos[samples] = notify;
        blockNanos[samples++] = block;
    }

    /** The waiter has found a sequence number. */
    final void take(long sequence) {
        taken++;
        if (sequence == last + 1) {
            inOrder++;
        }
        last = sequence;
        acknowledged = sequence;
    }

    /** The last number that was taken. */
    final long last() {
        return last;
    }

    /** The waking call alone, nanoseconds. */
    final long notifyNanos(int sample) {
        return notifyNanos[sample];
    }

    /** From before the lock is taken to after it is released, nanoseconds. */
    final long blockNanos(int sample) {
        return blockNanos[sample];
    }

    /** Context switches inside the watched blocks: voluntary (0), involuntary (1). */
    final long switches(int kind) {
        return switches[kind];
    }
}
