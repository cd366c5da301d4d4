package lab;

/**
 * One worker's side of the iteration protocol. The body brackets its timed stretch:
 * <pre>
 * long deadline = worker.begin(iteration);
 * do { ...one chunk...; now = System.nanoTime(); } while (now - deadline &lt; 0);
 * worker.end(now, operations);
 * </pre>
 * Everything else (folding, encoding, writing, the experiment's own bookkeeping) happens between end and begin. All
 * workers of an iteration have one deadline, so that none is still at work, or not yet, for long while others are.
 */
public final class Worker {
    private final Workers team;
    private final int index;
    private final Series series;
    /** Appends this worker's part of the last iteration. */
    Runnable rows;

    /** Opens the iteration that this worker begins; run by the last worker to arrive, before any begins. */
    private final Runnable opening = this::open;

    /** Settles what comes of the iteration that has ended; run by the last worker to end it, before any goes on. */
    private final Runnable closing = this::close;

    private int beginning;
    private int iteration;
    private long startNanos;
    private long[] switchesBefore;
    /** What the virtual machine had compiled when this worker began its timed stretch, and when it ended it. */
    long compiledBefore;

    long compiledAfter;
    /** Context switches inside measured iterations. */
    long voluntary;

    long involuntary;
    /** How long this worker waited for a CPU. */
    final RunDelay waited;
    /** Operations of the last iteration. */
    long operations;
    /** The affinity mask as read back, or null where the worker is not pinned. */
    private int[] observed;

    Worker(Workers team, int index, Series series) {
        this.team = team;
        this.index = index;
        this.series = series;
        waited = new RunDelay(team.countsSwitches);
    }

    /** 0 .. threads-1. */
    public int index() {
        return index;
    }

    /** The calling thread is this worker's from now on; puts it where it belongs. */
    void pin() {
        int[] cpus = team.trial.cpus();
        if (cpus.length == 0) {
            return;
        }
        if (!team.virtual) {
            Pinning.pin(cpus[index % cpus.length]);
        }
        observed = Native.affinity();
    }

    /** Leaves where it was asked to run and may run. */
    void leavePinning() {
        int[] cpus = team.trial.cpus();
        boolean pinned = observed != null && !team.virtual;
        Integer requested = pinned ? (Integer) cpus[index % cpus.length] : null;
        team.trial.recorder().pinned(index, requested, observed == null ? new int[0] : observed);
    }

    /** Whether an iteration is measured, as far as is known before it begins. */
    public boolean measured(int iteration) {
        return team.phases.measured(iteration);
    }

    /** Where this worker's samples go. */
    public Series series() {
        return series;
    }

    /**
     * Meets the others, then reads the clock. The deadline, on the scale of {@link System#nanoTime()}, is that of all
     * workers: an iteration's length after the last of them has arrived. A worker that has to wait for a CPU from then
     * on starts later than the others and ends with them.
     *
     * <p>Where every worker has a CPU they meet twice. Whoever waited long for the others has yielded its CPU, perhaps
     * to a thread that compiles, and comes back milliseconds after they have gone on; the second meeting waits for it.
     * Between the two, worker 0 meets the other parts of the trial.
     */
    public long begin(int iteration) {
        waited.follow(team.phases.measured(iteration));
        team.readings.take(index);
        boolean parts = team.trial.meeting().parts() > 1;
        if (parts || !team.trial.oversubscribed()) {
            team.barrier.await();
        }
        if (parts && index == 0) {
            team.trial.meeting().meet(team.trial.iterationNanos() + Workers.GRACE_NANOS);
        }
        beginning = iteration;
        team.barrier.await(opening);
        // Not before: until then worker 0 may still be making the rows of the iteration before.
        this.iteration = iteration;
        switchesBefore = team.countsSwitches ? Native.contextSwitches() : null;
        compiledBefore = team.trial.compilations().count();
        startNanos = System.nanoTime();
        return team.deadlineNanos;
    }

    /** After the last iteration. */
    void finish() {
        team.readings.take(index);
        team.barrier.await();
        if (index == 0) {
            team.readings.leave(iteration + 1);
        }
        waited.follow(false);
    }

    private void open() {
        team.open(beginning);
    }

    private void close() {
        team.close(iteration);
    }

    /**
     * Ends the timed stretch.
     *
     * @param endNanos   the clock as read after the last operation
     * @param operations operations completed since {@link #begin}
     */
    public void end(long endNanos, long operations) {
        end(series, team.phases.of(iteration).name(), endNanos, operations);
    }

    /**
     * Ends the timed stretch as a row of another series and phase, for an experiment that has its own words. The row is
     * made once all workers have ended: folding and encoding beside one that is still timed would slow it down.
     */
    public void end(Series series, String phase, long endNanos, long operations) {
        end(operations, new Runnable() {
            @Override
            public void run() {
                team.trial.recorder().append(series, iteration, phase, startNanos, endNanos, operations);
            }
        });
    }

    /**
     * Ends a timed stretch that is several rows, for an experiment that must not pause between them.
     *
     * @param operations operations completed since {@link #begin}
     * @param rows       closes and appends them; run by one thread, once all workers have ended the stretch
     */
    public void end(long operations, Runnable rows) {
        compiledAfter = team.trial.compilations().count();
        countSwitches();
        this.operations = operations;
        this.rows = rows;
        team.barrier.await(closing);
        if (index == 0) {
            team.ended(iteration);
        }
    }

    /** Meets the others inside a timed stretch. */
    public void meet() {
        team.barrier.await();
    }

    private void countSwitches() {
        if (switchesBefore != null && team.phases.measured(iteration)) {
            long[] switches = Native.contextSwitches();
            voluntary += switches[0] - switchesBefore[0];
            involuntary += switches[1] - switchesBefore[1];
        }
    }
}
