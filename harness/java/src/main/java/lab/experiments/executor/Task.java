package lab.experiments.executor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import lab.VarHandles;
import lab.load.Receipts;

/**
 * The task of the post: it holds one number, which the worker that runs it adds to a sum of its own. Made in advance
 * and used again by the producer it belongs to once it has run.
 *
 * <p>{@code uses} says how often it has run, and is what its producer waits for: whoever sees the count sees all that
 * the run has left. A pool that runs a task twice leaves one use too many, one that loses a task leaves its producer
 * waiting. Only the worker that has the task writes it, so the count needs no atomic add.
 *
 * <p>An object takes 136 bytes: the fields of two tasks never share a cache line; and since 136 is no multiple of a
 * line, equally many tasks lie across two lines in every trial. Otherwise the address of the first one would make some
 * trials slower than others.
 */
class Task extends TaskPadding implements Runnable {
    /** The due time of a task that carries no times. */
    static final long UNSTAMPED = -1;

    private static final VarHandle USES = VarHandles.field(MethodHandles.lookup(), TaskFields.class, "uses", int.class);

    /** @param receipts where it is entered; null: at the worker that runs it, a thread of its {@link Crew} */
    Task(Receipts receipts) {
        this.receipts = receipts;
    }

    /** Sets what the next run finds; by the producer, before it hands the task over. */
    Task prepare(long number, long due, long sent) {
        this.number = number;
        this.due = due;
        this.sent = sent;
        return this;
    }

    @Override
    public void run() {
        Receipts mine = receipts;
        if (mine == null) {
            mine = ((Crew.Member) Thread.currentThread()).receipts();
        }
        mine.on(number, due, sent);
        USES.setRelease(this, uses + 1);
    }

    /** How often it has run; orders what is read afterwards. */
    int uses() {
        return (int) USES.getAcquire(this);
    }
}

/** What a task carries. */
class TaskFields {
    int uses;
    Receipts receipts;
    /** As the load generator numbers it. */
    long number;
    /** When it was to be handed over, nanoseconds from the start of the iteration, or {@link Task#UNSTAMPED}. */
    long due;
    /** When it was handed over, on the same scale. */
    long sent;
}

/** Keeps a task's fields a line away from the next one's. */
class TaskPadding extends TaskFields {
    long after0, after1, after2, after3, after4, after5, after6, after7;
    long after8, after9, afterA;
}
