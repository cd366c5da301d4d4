package lab.experiments.signalling;

import lab.Recorder;
import lab.Trial;
import lab.experiments.handover.Handover;

/**
 * A hand-over to a thread that sleeps until it is woken. No wait has a time limit, for that would turn a lost signal
 * into a slow one: a lost signal leaves both threads asleep for good, where the patience of the workers sees it. What
 * ends a wait, besides the hand-over it waits for, is the interrupt that follows that or a failure of the other thread.
 */
abstract class Signal extends Handover {
    private static final int UNKNOWN = -1;

    @Override
    protected final long patienceNanos(Trial trial) {
        return sleepersPatienceNanos(trial);
    }

    /** Makes the number known and wakes the other side. */
    abstract void hand(int side, long number) throws InterruptedException;

    /** Sleeps until the given side has handed over another number than the previous one. */
    abstract long take(int side, long previous) throws InterruptedException;

    /** Wake-ups in the whole trial after which there was nothing new; negative where they stay inside the mechanism. */
    long spurious() {
        return UNKNOWN;
    }

    @Override
    protected final void pass(int side, long number) {
        try {
            hand(side, number);
        } catch (InterruptedException e) {
            throw trialFailed(e);
        }
    }

    @Override
    protected final long await(int side, long previous) {
        try {
            return take(side, previous);
        } catch (InterruptedException e) {
            throw trialFailed(e);
        }
    }

    private static IllegalStateException trialFailed(InterruptedException cause) {
        return new IllegalStateException("interrupted: the trial failed", cause);
    }

    @Override
    protected final void check(Recorder recorder, long ping, long pong) {
        super.check(recorder, ping, pong);
        recorder.measure(-1, "", "handovers", ping + pong);
        if (spurious() != UNKNOWN) {
            recorder.measure(-1, "", "spurious_wakeups", spurious());
        }
    }
}
