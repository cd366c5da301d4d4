package lab.experiments.clocks;

import java.util.concurrent.atomic.AtomicLongArray;
import lab.Failure;
import lab.Recorder;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * The clock of two CPUs against each other. Thread 0 reads it (t1) and passes the reading to thread 1, which reads it
 * (t2) and answers, and thread 0 reads it again (t3): each reading has seen the one before, so none may lie before it,
 * which is the check. If thread 1's clock is ahead by d, its reading t2 - d was made between t1 and t3: t2 - t3 &lt;= d
 * &lt;= t2 - t1. Every round trip bounds d; an iteration's are taken together. A sample is a round trip, t3 - t1.
 */
final class Across implements Workers.Body {
    /** Readings of a round trip. */
    private static final int READINGS = 3;
    /** Words of the messages: a line and its neighbour between them, for the prefetcher fetches lines in pairs. */
    private static final int PING = 16;

    private static final int PONG = 48;
    private static final int WORDS = 64;
    /** The number of a ping that wants no answer: the iteration is over. */
    private static final long LAST = -1;

    private final Trial trial;
    private final TimeSource asking;
    private final TimeSource answering;
    private final Series trips;
    /** At {@link #PING} and {@link #PONG} the number of the round trip, written last; behind it the reading. */
    private final AtomicLongArray messages = new AtomicLongArray(WORDS);

    private long sent;
    private long backward;
    private long asked;
    private long answered;

    /** @param answering the clock of thread 1; both count nanoseconds */
    Across(Trial trial, TimeSource asking, TimeSource answering) {
        if (trial.usableCpus() < 2) {
            throw Failure.unsupported(trial.variant() + " compares two CPUs; there is one");
        }
        this.trial = trial;
        this.asking = asking;
        this.answering = answering;
        trips = trial.recorder().series("round_trips");
    }

    @Override
    public void run(Worker worker, int from, int to) {
        for (int iteration = from; iteration < to; iteration++) {
            long deadline = worker.begin(iteration);
            if (worker.index() == 0) {
                ask(worker, iteration, deadline);
            } else {
                answer(worker);
            }
        }
    }

    private void ask(Worker worker, int iteration, long deadline) {
        long low = Long.MIN_VALUE;
        long high = Long.MAX_VALUE;
        long number = sent;
        long t3;
        do {
            number++;
            long t1 = asking.read();
            pass(PING, number, t1);
            await(PONG, number);
            t3 = asking.read();
            long t2 = messages.getPlain(PONG + 1);
            low = Math.max(low, t2 - t3);
            high = Math.min(high, t2 - t1);
            if (t2 < t1 || t3 < t2) {
                backward++;
            }
            trips.add(t3 - t1);
        } while (t3 - deadline < 0);
        pass(PING, LAST, 0);
        asked += number - sent;
        worker.end(trips, trial.phase(iteration), t3, (number - sent) * READINGS);
        sent = number;
        trial.recorder().measure(iteration, "cpu_offset", (low + high) / 2.0);
        trial.recorder().measure(iteration, "cpu_offset_bound", (high - low) / 2.0);
    }

    private void answer(Worker worker) {
        long number = messages.getPlain(PONG);
        while (await(PING, number + 1) != LAST) {
            number++;
            pass(PONG, number, answering.read());
            answered++;
        }
        // Before thread 0 can send again, or the next iteration would end with this one's last ping.
        messages.setPlain(PING, number);
        worker.end(0, new Runnable() {
            @Override
            public void run() {
                // Thread 0 has the row.
            }
        });
    }

    private void pass(int to, long number, long reading) {
        messages.setPlain(to + 1, reading);
        messages.setRelease(to, number);
    }

    /** Waits for a message of that number or the last; which of the two came. */
    private long await(int from, long number) {
        long seen;
        do {
            Thread.onSpinWait();
            seen = messages.getAcquire(from);
        } while (seen != number && seen != LAST);
        return seen;
    }

    /** Leaves the checks: no reading before the one it has seen, and an answer for every question. */
    void check() {
        Recorder recorder = trial.recorder();
        recorder.check("readings before the one they have seen", 0, backward);
        recorder.check("answers equal round trips", asked, answered);
    }
}
