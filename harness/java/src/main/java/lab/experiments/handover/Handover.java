package lab.experiments.handover;

import lab.Recorder;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * Two workers hand the right to go on to each other, numbered from 1: worker 0 passes number n, worker 1 waits for it
 * and passes n back. One operation is one hand-over, so that the operations of both over the time give the cost of one
 * way. Every {@code sample-every}-th round trip is timed, clock to clock, and is a sample of worker 0.
 *
 * <p>A trial is a process of its own and uses one subclass only: the calls of {@link #pass} and {@link #await} have
 * one receiver and are inlined into the loops here. Nothing is written in the loops but what is handed over.
 *
 * <p>A wait ends for one of three reasons: something came, the partner has failed, or nothing came for
 * {@link Workers#GRACE_NANOS} past the end of the iteration. The last is a lost hand-over, and fails the check.
 */
public abstract class Handover implements Workers.Body {
    /** The side of worker 0. */
    static final int PING = 0;
    /** The side of worker 1. */
    static final int PONG = 1;
    /** Most round trips per chunk while warming up. */
    private static final int WARMUP_CHUNK = 8;

    private Trial trial;
    /** Round trips per chunk, of which the last is timed. */
    private int sampleEvery;

    private final long[] numbers = new long[2];
    private final long[] faults = new long[2];
    /**
     * The number of the last round trip of an iteration, written before it is passed and read once per chunk, after
     * answering: by then ping may have begun another round trip, so that a flag would come one too early.
     */
    private long last;

    private volatile long deadline;
    private volatile boolean abandoned;

    /** How long past the end of its iteration a wait may last. */
    protected long graceNanos() {
        return Workers.GRACE_NANOS;
    }

    /** Hands over to the other side. */
    protected abstract void pass(int side, long number);

    /**
     * Waits until the given side has passed another number than the previous one; the number, or the previous one
     * where {@link #hopeless()} told to give up.
     */
    protected abstract long await(int side, long previous);

    /** Whether a wait must end with nothing: asked now and then by a wait that lasts. */
    protected final boolean hopeless() {
        if (!abandoned && System.nanoTime() - deadline > graceNanos()) {
            abandoned = true;
        }
        return abandoned;
    }

    /** The patience of the workers; 0 where every wait asks {@link #hopeless()} and so ends by itself. */
    protected long patienceNanos(Trial trial) {
        return 0;
    }

    /** For waits that sleep: past its deadline an iteration lasts one chunk and the round trip that ends it. */
    protected final long sleepersPatienceNanos(Trial trial) {
        return trial.iterationNanos() + 2 * (sampleEvery + 1) * Workers.WAKE_NANOS + graceNanos();
    }

    /** Runs the trial and leaves its checks. */
    public final void measure(Trial trial) {
        trial.requireThreads(2, "must be 2, one for each side");
        this.trial = trial;
        sampleEvery = trial.parameters().getInt("sample-every");
        long[] passed = new long[2];
        Workers.platform(trial)
                .afterIteration((iteration, operations) -> {
                    passed[PING] += operations[PING];
                    passed[PONG] += operations[PONG];
                })
                .patience(patienceNanos(trial))
                .run(this);
        check(trial.recorder(), passed[PING], passed[PONG]);
    }

    /**
     * Leaves the checks.
     *
     * @param ping hand-overs that worker 0 counted
     * @param pong hand-overs that worker 1 counted
     */
    protected void check(Recorder recorder, long ping, long pong) {
        recorder.check("pong hands over as often as ping", ping, pong);
        recorder.check("hand-overs lost, repeated or out of order", 0, faults[PING] + faults[PONG]);
    }

    @Override
    public final void run(Worker worker, int from, int to) {
        try {
            for (int iteration = from; iteration < to; iteration++) {
                if (worker.index() == PING) {
                    ping(worker, iteration);
                } else {
                    pong(worker, iteration);
                }
            }
        } catch (RuntimeException | Error e) {
            abandoned = true;
            throw e;
        }
    }

    private void ping(Worker worker, int iteration) {
        Series series = worker.series();
        int chunk = chunk(iteration);
        long number = numbers[PING];
        long end = worker.begin(iteration);
        deadline = end;
        boolean goesOn;
        do {
            goesOn = pingChunk(series, number, chunk - 1, end);
            number += chunk;
        } while (goesOn);
        last = number + 1;
        roundTrips(number++, 1);
        finish(worker, PING, number);
    }

    private void pong(Worker worker, int iteration) {
        int chunk = chunk(iteration);
        long number = numbers[PONG];
        deadline = worker.begin(iteration);
        while (pongChunk(number, chunk - 1)) {
            number += chunk;
        }
        finish(worker, PONG, abandoned ? number : last);
    }

    /**
     * Round trips per chunk. The loops over chunks turn some hundred times in an iteration, and so are interpreted for
     * good; the interpreter's call of the clock alone takes longer than a hand-over. So a chunk is a method, which is
     * compiled after some thousand calls, and warming up makes them: its chunks are short.
     */
    private int chunk(int iteration) {
        return trial.measured(iteration) ? sampleEvery : Math.min(sampleEvery, WARMUP_CHUNK);
    }

    /** The last round trip of a chunk is timed. Whether there is time for another one. */
    private boolean pingChunk(Series series, long from, int untimed, long end) {
        roundTrips(from, untimed);
        long before = System.nanoTime();
        roundTrips(from + untimed, 1);
        long now = System.nanoTime();
        series.add(now - before);
        return now - end < 0 && !abandoned;
    }

    /** Whether another chunk comes. */
    private boolean pongChunk(long from, int rest) {
        // The first alone: what ping wrote before passing it is visible now.
        replies(from, 1);
        if (from + 1 == last) {
            return false;
        }
        replies(from + 1, rest);
        return !abandoned;
    }

    private void finish(Worker worker, int side, long number) {
        long operations = number - numbers[side];
        numbers[side] = number;
        worker.end(System.nanoTime(), operations);
    }

    private void roundTrips(long from, int count) {
        long number = from;
        for (int i = 0; i < count; i++) {
            pass(PING, number + 1);
            long seen = await(PONG, number);
            number++;
            if (seen != number) {
                faults[PING]++;
            }
        }
    }

    private void replies(long from, int count) {
        long number = from;
        for (int i = 0; i < count; i++) {
            long seen = await(PING, number);
            number++;
            if (seen != number) {
                faults[PONG]++;
            }
            pass(PONG, number);
        }
    }
}
