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

    private final int sampleEvery;
    /** How long past the end of its iteration a wait may last. */
    private final long graceNanos;

    private final long[] numbers = new long[2];
    private final long[] faults = new long[2];
    /**
     * The number of the last round trip of an iteration, written before it is passed and read once per chunk, after
     * answering: by then ping may have begun another round trip, so that a flag would come one too early.
     */
    private long last;

    private volatile long deadline;
    private volatile boolean abandoned;

    /** @param sampleEvery round trips per chunk, of which the last is timed */
    protected Handover(int sampleEvery) {
        this(sampleEvery, Workers.GRACE_NANOS);
    }

    /** @param graceNanos in place of {@link Workers#GRACE_NANOS} */
    protected Handover(int sampleEvery, long graceNanos) {
        this.sampleEvery = sampleEvery;
        this.graceNanos = graceNanos;
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
        if (!abandoned && System.nanoTime() - deadline > graceNanos) {
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
        return trial.iterationNanos() + 2 * (sampleEvery + 1) * Workers.WAKE_NANOS + graceNanos;
    }

    /** Runs the trial and leaves its checks. */
    public final void measure(Trial trial) {
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
        int untimed = sampleEvery - 1;
        long number = numbers[PING];
        long end = worker.begin(iteration);
        deadline = end;
        long now;
        do {
            number = roundTrips(number, untimed);
            long before = System.nanoTime();
            number = roundTrips(number, 1);
            now = System.nanoTime();
            series.add(now - before);
        } while (now - end < 0 && !abandoned);
        last = number + 1;
        number = roundTrips(number, 1);
        finish(worker, PING, number);
    }

    private void pong(Worker worker, int iteration) {
        int replies = sampleEvery - 1;
        long number = numbers[PONG];
        deadline = worker.begin(iteration);
        do {
            // The first of a chunk alone: what ping wrote before passing it is visible now.
            number = replies(number, 1);
            if (number == last) {
                break;
            }
            number = replies(number, replies);
        } while (!abandoned);
        finish(worker, PONG, number);
    }

    private void finish(Worker worker, int side, long number) {
        long operations = number - numbers[side];
        numbers[side] = number;
        worker.end(System.nanoTime(), operations);
    }

    private long roundTrips(long from, int count) {
        long number = from;
        for (int i = 0; i < count; i++) {
            pass(PING, number + 1);
            long seen = await(PONG, number);
            number++;
            if (seen != number) {
                faults[PING]++;
            }
        }
        return number;
    }

    private long replies(long from, int count) {
        long number = from;
        for (int i = 0; i < count; i++) {
            long seen = await(PING, number);
            number++;
            if (seen != number) {
                faults[PONG]++;
            }
            pass(PONG, number);
        }
        return number;
    }
}
