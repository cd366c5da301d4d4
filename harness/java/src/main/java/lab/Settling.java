package lab;

/**
 * Keeps the compiler out of what is measured. A warm-up goes on until nothing was compiled for {@link #QUIET_NANOS} of
 * its iterations. An iteration after it in which something was compiled becomes one of the phase
 * {@link Phases#COMPILED}, and another is made in its place. Both end somewhere: after {@link #MOST_NANOS} more of
 * warm-up, and after as many iterations again as were asked for.
 *
 * <p>It rests on trials that compile in the caller ({@code -XX:-BackgroundCompilation}): so what the harness calls
 * between two iterations is compiled there, and what is compiled in one is what that one called.
 *
 * <p>Used by one thread at a time, while no worker is inside a timed stretch.
 */
final class Settling {
    /** Of iterations in a row in which nothing was compiled. */
    static final long QUIET_NANOS = 50_000_000;
    /** By which all warm-ups of a trial together may become longer. */
    static final long MOST_NANOS = 250_000_000;

    private final Recorder recorder;
    private final Phases phases;
    private final boolean known;
    private final boolean adapts;
    private final int mostAgain;

    private long quietNanos = QUIET_NANOS;
    private long addedNanos;
    private int added;
    private int again;
    private boolean idle = true;

    /**
     * @param known  whether this process can tell what it compiles
     * @param adapts whether iterations may be added; else they are told about and no more
     */
    Settling(Recorder recorder, Phases phases, boolean known, boolean adapts) {
        this.recorder = recorder;
        this.phases = phases;
        this.known = known;
        this.adapts = adapts;
        mostAgain = phases.iterations() - phases.warmups();
    }

    /**
     * Draws the conclusions from whether something was compiled in an iteration that has ended, in any part.
     *
     * @param nanos how long it was; of several parts, which have to draw the same, how long it was meant to be
     */
    void ended(int iteration, boolean compiled, long nanos) {
        if (!adapts) {
            return;
        }
        if (phases.warmup(iteration)) {
            warm(iteration, compiled, nanos);
        } else if (compiled && again < mostAgain) {
            recorder.compiled(iteration);
            phases.lengthen(iteration);
            again++;
        }
    }

    private void warm(int iteration, boolean compiled, long nanos) {
        quietNanos = compiled ? 0 : quietNanos + nanos;
        if (!phases.last(iteration)) {
            return;
        }
        boolean quiet = quietNanos >= QUIET_NANOS;
        if (!quiet && addedNanos + nanos <= MOST_NANOS) {
            phases.lengthen(iteration);
            addedNanos += nanos;
            added++;
        } else {
            idle &= quiet;
        }
    }

    /** Leaves what was added, and whether the compiler had nothing left to do when the warm-up was over. */
    void leave() {
        if (adapts && known) {
            recorder.measure(-1, "warmup_added", added);
            recorder.measure(-1, "iterations_again", again);
            recorder.measure(-1, "compiler_idle", idle ? 1 : 0);
        }
    }
}
