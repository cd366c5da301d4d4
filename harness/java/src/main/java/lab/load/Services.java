package lab.load;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import lab.Phases;
import lab.Recorder;
import lab.Series;

/**
 * The service times of a trial, and how long an event is on its way to the consumer: its flight. Known when the trial
 * is over, and left then, so that nothing of it is computed between two iterations.
 *
 * <p>An event that finds the consumer idle takes its flight and its service, one that waited only its service, from the
 * end of the one before: the flight is the difference of the medians. It occupies nobody, so event i has arrived at
 * {@code a_i = sent_i + flight}, and its service is {@code c_i - max(c_{i-1}, a_i)}. Who was sent before the one ahead
 * of it was done, and arrived after that, has not waited: who did follows from the flight, and the flight from them. So
 * both are computed anew, beginning with no flight, until it stays.
 *
 * <p>A consumer that sleeps is kept from the next event by being woken: there the way is part of the service.
 */
final class Services {
    /** No flight is known. */
    static final long UNKNOWN = -1;
    /** Events of either kind that have a median: as many as the pipeline wants before it draws from them. */
    private static final int FEWEST = 50;

    private static final int ROUNDS = 50;
    /** Longer service is the host's: kept, and counted apart. */
    private static final long CUT_NANOS = 50_000;

    /**
     * An iteration with its pairs of events.
     *
     * @param own   from the sending of the second to its end
     * @param since from the end of the first to that of the second
     */
    private record Iteration(
            int number, String phase, long start, long end, long operations, long[] own, long[] since) {}

    private final Recorder recorder;
    private final Series busy;
    private final Series idle;
    private final Series waiting;
    private final List<Iteration> iterations = new ArrayList<>();

    /** @param stalls whether the consumer does */
    Services(Recorder recorder, boolean stalls) {
        this.recorder = recorder;
        busy = recorder.series("busy");
        idle = recorder.series("idle");
        waiting = stalls ? recorder.series("waiting") : null;
    }

    /** Keeps what a consumer has sampled in an iteration. */
    void keep(int iteration, String phase, long start, Receipts only) {
        iterations.add(new Iteration(
                iteration, phase, start, only.end, only.handled, only.sent.toArray(), only.since.toArray()));
    }

    /** Leaves the rows and measures of all iterations. @param awake whether the consumer never sleeps */
    void leave(boolean awake) {
        long flight = awake ? measuredFlight() : UNKNOWN;
        if (flight != UNKNOWN) {
            recorder.measure(-1, "flight", flight);
        }
        for (Iteration each : iterations) {
            leave(each, Math.max(0, flight));
        }
    }

    private long measuredFlight() {
        Samples own = new Samples();
        Samples since = new Samples();
        for (Iteration each : iterations) {
            if (each.phase.equals(Phases.MEASURED)) {
                Arrays.stream(each.own).forEach(own::add);
                Arrays.stream(each.since).forEach(since::add);
            }
        }
        return flight(own.toArray(), since.toArray());
    }

    /** What pairs of events tell of the flight, or {@link #UNKNOWN}. */
    static long flight(long[] own, long[] since) {
        long flight = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Samples waited = new Samples();
            Samples found = new Samples();
            for (int i = 0; i < own.length; i++) {
                boolean behind = since[i] <= own[i] - flight;
                (behind ? waited : found).add(behind ? since[i] : own[i]);
            }
            if (Math.min(waited.count(), found.count()) < FEWEST) {
                return UNKNOWN;
            }
            long next = Math.max(0, (long) (found.median() - waited.median()));
            if (next == flight) {
                break;
            }
            flight = next;
        }
        return flight;
    }

    private void leave(Iteration each, long flight) {
        Samples waited = new Samples();
        Samples found = new Samples();
        for (int i = 0; i < each.own.length; i++) {
            long arrived = each.own[i] - flight;
            boolean behind = each.since[i] <= arrived;
            (behind ? waited : found).add(behind ? each.since[i] : Math.max(0, arrived));
            if (waiting != null) {
                // A generator that waits for each answer sends the next event when it is due or, if later, when the
                // one before is done. What it records is the time from then on.
                waiting.add(Math.min(each.since[i], each.own[i]));
            }
        }
        row(busy, each, waited);
        row(idle, each, found);
        if (waiting != null) {
            close(waiting, each);
        }
        moments(each.number, "busy", waited);
        moments(each.number, "idle", found);
        recorder.measure(each.number, "cut_count", waited.countAbove(CUT_NANOS) + found.countAbove(CUT_NANOS));
        recorder.measure(each.number, "cut_ns", waited.sumAbove(CUT_NANOS) + found.sumAbove(CUT_NANOS));
    }

    private void row(Series series, Iteration each, Samples samples) {
        samples.addTo(series);
        close(series, each);
    }

    private void close(Series series, Iteration each) {
        recorder.append(series, each.number, each.phase, each.start, each.end, each.operations);
    }

    /** Sums, from which a model of the queue predicts. */
    private void moments(int iteration, String name, Samples samples) {
        recorder.measure(iteration, name + "_count", samples.count());
        recorder.measure(iteration, name + "_ns", samples.sumAbove(0));
        recorder.measure(iteration, name + "_ns2", samples.sumOfSquares());
    }
}
