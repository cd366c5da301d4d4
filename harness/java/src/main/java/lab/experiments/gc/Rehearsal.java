package lab.experiments.gc;

import lab.Series;
import lab.Trial;

/**
 * Runs what will be timed, and what makes a row of it, until the compilers have nothing left to do. Most bursts of
 * operations are late and catch up, some have to wait: both ways through the code have been taken when it is compiled.
 *
 * @param backlogNanos how late most bursts are
 * @param series       what the bursts add samples to; they are empty after it
 */
record Rehearsal(Trial trial, long backlogNanos, Series... series) {
    /** A rehearsal: short bursts, together more turns of a loop than those after which it is compiled for good. */
    private static final int BURSTS = 800;

    private static final int BURST = 25;
    private static final int MOST = 8;
    /** Of all rehearsals together, at most. */
    static final int MOST_OPERATIONS = MOST * BURSTS * BURST;

    /** Bursts between two rows, which have as many samples as those of a short iteration. */
    private static final int ROW = 400;
    /** One burst of so many has to wait for its operations, which then are due so far apart. */
    private static final int PUNCTUAL = 4;

    private static final long PUNCTUAL_NANOS = 2000;
    /** For what is queued when a rehearsal ends. */
    private static final long QUEUE_MILLIS = 15;
    /** Compilers that used less than this in a rehearsal have nothing to do. */
    private static final long IDLE_NANOS = 2_000_000;

    private static final String PHASE = "rehearsal";

    /** Does operations, as {@link Paced#burst}. */
    interface Bursts {
        long burst(long due, long apart, int length, long latest);
    }

    /** Leaves how many there were, and returns the operations done. Where nobody tells what threads used, the most. */
    long untilIdle(Bursts bursts) {
        ThreadTimes before = ThreadTimes.now();
        boolean idle = false;
        int rehearsals = 0;
        for (; !idle && rehearsals < MOST; rehearsals++) {
            once(bursts);
            pause();
            ThreadTimes after = ThreadTimes.now();
            idle = after.known() && after.since(before).get(ThreadTimes.Group.COMPILERS) < IDLE_NANOS;
            before = after;
        }
        trial.recorder().measure(-1, "rehearsals", rehearsals);
        return (long) rehearsals * BURSTS * BURST;
    }

    private void once(Bursts bursts) {
        for (int i = 1; i <= BURSTS; i++) {
            boolean punctual = i % PUNCTUAL == 0;
            long apart = punctual ? PUNCTUAL_NANOS : 1;
            long now = System.nanoTime();
            bursts.burst(now + (punctual ? apart : -backlogNanos), apart, BURST, now);
            // What is asked in every iteration is compiled some time, too.
            String phase = trial.measured(trial.iterations()) ? PHASE : trial.phase(0);
            for (int k = 0; i % ROW == 0 && k < series.length; k++) {
                series[k].close(-1, phase, now, now, 0);
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(QUEUE_MILLIS);
        } catch (InterruptedException e) {
            throw new IllegalStateException("another worker has failed, and there is none", e);
        }
    }
}
