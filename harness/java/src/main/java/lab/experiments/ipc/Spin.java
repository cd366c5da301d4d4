package lab.experiments.ipc;

import lab.Meeting;

/**
 * The turns of a wait, counted. Now and then one offers the CPU: at once where both ends share it, else after a wait
 * far longer than a hop, for a guest's CPU may be taken away; and it asks whether the other end may still come.
 */
final class Spin {
    /** How long an end that sleeps does so before it looks whether the other one is still there. */
    static final long LONGEST_SLEEP_NANOS = 100_000_000;

    private static final int MOST_PAUSES = 1 << 10;
    private static final int PATIENCE = 1 << 15;
    private static final int PATIENCE_SHARING = 64;

    private final Meeting meeting;
    private final Hint hint;
    private final int patience;
    private long deadline;
    private long turns;
    private int pauses;

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
        if (hint == Hint.PAUSE) {
            Thread.onSpinWait();
        } else if (hint == Hint.YIELD) {
            Thread.yield();
        }
        return left > 1 ? left - 1 : look();
    }

    /**
     * One turn of the wait for room in a ring that is full, with a pause that doubles from the {@code first} on: every
     * look takes the line of the consumer's index away from it. {@code left} and what is returned as in {@link #turn}.
     */
    int rest(boolean first, int left) {
        turns++;
        pauses = first ? 1 : Math.min(2 * pauses, MOST_PAUSES);
        for (int i = 0; i < pauses; i++) {
            Thread.onSpinWait();
        }
        return left > pauses ? left - pauses : look();
    }

    /** By who has slept in vain as long as it may. */
    void sleptInVain() {
        meeting.endIfHopeless(deadline);
    }

    private int look() {
        Thread.yield();
        meeting.endIfHopeless(deadline);
        return patience;
    }

    /** Counts a turn of a wait that is not by spinning. */
    void count() {
        turns++;
    }

    /** For the first turn of a wait. */
    int patience() {
        return patience;
    }

    /** In this iteration. */
    long turns() {
        return turns;
    }

    /** What every turn of a wait that spins does besides looking. */
    enum Hint {
        /** It tells the processor that it spins. */
        PAUSE,
        /** Nothing. */
        NONE,
        /** It offers the CPU to others. */
        YIELD
    }
}
