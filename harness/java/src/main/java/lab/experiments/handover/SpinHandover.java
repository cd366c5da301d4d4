package lab.experiments.handover;

import lab.Recorder;
import lab.Trial;

/**
 * Hands over through two words on different cache lines: each side writes its own and spins on the other's.
 *
 * <p>A spinning thread whose partner is not running would wait for the rest of its time slice. So it yields: after
 * a few turns where both share a CPU, and after a wait far longer than a hand-over where they need not, for an unpinned
 * pair may be put on one CPU all the same, and a guest's CPU may be taken away.
 */
abstract class SpinHandover extends Handover {
    private static final int PATIENCE = 1 << 15;
    private static final int PATIENCE_SHARING = 64;

    private final Word ping = new Word();
    private final Word pong = new Word();
    private final boolean hint;
    private final int patience;

    /** @param hint whether every turn of a wait tells the processor that it spins ({@link Thread#onSpinWait()}) */
    protected SpinHandover(Trial trial, boolean hint) {
        this.hint = hint;
        patience = trial.oversubscribed() ? PATIENCE_SHARING : PATIENCE;
    }

    /** Makes the hand-over visible. */
    abstract void write(Word word, long number);

    /** What the word says now. */
    abstract long read(Word word);

    @Override
    protected void pass(int side, long number) {
        write(word(side), number);
    }

    @Override
    protected final long await(int side, long previous) {
        // Copies, so that the loop loads nothing but the word.
        Word word = word(side);
        boolean hint = this.hint;
        int patience = this.patience;
        int left = patience;
        long seen = read(word);
        while (seen == previous) {
            if (hint) {
                Thread.onSpinWait();
            }
            if (--left == 0) {
                Thread.yield();
                if (hopeless()) {
                    break;
                }
                left = patience;
            }
            seen = read(word);
        }
        return seen;
    }

    private Word word(int side) {
        return side == PING ? ping : pong;
    }

    @Override
    protected void check(Recorder recorder, long ping, long pong) {
        super.check(recorder, ping, pong);
        recorder.check("ping word equals ping hand-overs", ping, this.ping.value);
        recorder.check("pong word equals pong hand-overs", pong, this.pong.value);
    }

    /** An atomic addition: one locked instruction. */
    static final class AtomicAdd extends SpinHandover {
        AtomicAdd(Trial trial, boolean hint) {
            super(trial, hint);
        }

        @Override
        void write(Word word, long number) {
            word.add();
        }

        @Override
        long read(Word word) {
            return word.value;
        }
    }

    /** {@code ++} of a volatile field: load, add, store and, after it, a full fence. */
    static final class VolatileIncrement extends SpinHandover {
        VolatileIncrement(Trial trial, boolean hint) {
            super(trial, hint);
        }

        @Override
        void write(Word word, long number) {
            // Only this side writes the word: nothing can come between load and store.
            word.value++;
        }

        @Override
        long read(Word word) {
            return word.value;
        }
    }
}
