package lab.experiments.ipc;

import lab.Meeting;

/**
 * The turns of a wait, counted. Now and then one offers the CPU: at once where both ends share it, else after a wait
 * far longer than a hop, for a guest's CPU may be taken away; and it asks whether the other end may still come.
 */
final class Spin {
    private static final int PATIENCE = 1 << 15;
    private static final int PATIENCE_SHARING = 64;

    private final Meeting meeting;
    private final boolean hint;
    private final int patience;
    private long deadline;
    private long turns;

    /** @param sharing whether the other end cannot go on while this one spins */
    Spin(Setup setup, boolean sharing) {
        meeting = setup.trial().meeting();
        hint = setup.hint();
        patience = sharing ? PATIENCE_SHARING : PATIENCE;
    }

    /** An iteration begins. */
    void begin(long deadline) {
        this.deadline = deadline;
        turns = 0;
    }

    /** One turn; {@code left} of those before it, of one wait. @return what is left after it */
    int turn(int left) {
        turns++;
        if (hint) {
            Thread.onSpinWait();
        }
        return left > 1 ? left - 1 : look();
    }

    private int look() {
        Thread.yield();
        meeting.endIfHopeless(deadline);
        return patience;
    }

    /** For the first turn of a wait. */
    int patience() {
        return patience;
    }

    /** In this iteration. */
    long turns() {
        return turns;
    }
}
