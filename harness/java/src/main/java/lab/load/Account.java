package lab.load;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import lab.Phases;
import lab.Recorder;
import lab.Series;
import lab.Trial;

/** The rows and measures of each iteration under load. */
final class Account {
    /** Samples that have a median. */
    private static final int FEWEST = 10;
    /** In place of a count that nobody keeps. */
    private static final long UNKNOWN = -1;

    /** A series of durations that the consumers sample. */
    private record Sampled(Series series, Function<Receipts, Samples> of) {}

    private final Recorder recorder;
    private final boolean stamped;
    private final Shape shape;
    private final Receipts[] receipts;
    private final Series[] consumers;
    private final List<Sampled> sampled = new ArrayList<>();
    private final Series late;
    /** Null where pairs of events do not tell them. */
    private final Services services;

    private final long[] fullBefore;
    private final long[] refusedBefore;

    Account(Trial trial, Load load, Shape shape, Receipts[] receipts) {
        this.shape = shape;
        this.receipts = receipts;
        recorder = trial.recorder();
        stamped = load.paced();
        fullBefore = new long[shape.producers()];
        refusedBefore = new long[shape.producers()];
        consumers = new Series[Math.max(1, receipts.length)];
        for (int i = 0; i < consumers.length; i++) {
            consumers[i] = recorder.series("c" + i);
        }
        late = stamped ? recorder.series("late") : null;
        services = stamped && shape.pairs() ? new Services(recorder, load.stallMs() > 0) : null;
        if (receipts.length > 0) {
            declare();
        }
    }

    private void declare() {
        if (stamped) {
            sample("intended", each -> each.intended);
            sample("sent", each -> each.sent);
        } else {
            sample("full", each -> each.full);
        }
    }

    private void sample(String tag, Function<Receipts, Samples> of) {
        sampled.add(new Sampled(recorder.series(tag), of));
    }

    /** Leaves the iteration, and returns the rate at which it was handled, in events per second. */
    double ended(int iteration, String phase, long start, Pacer[] pacers) {
        long end = 0;
        long events = 0;
        for (Pacer pacer : pacers) {
            end = Math.max(end, pacer.end);
            events += pacer.sent();
        }
        double rate = receipts.length == 0 ? 1e9 * events / (end - start) : 0;
        if (receipts.length == 0) {
            recorder.append(consumers[0], iteration, phase, start, end, events);
        }
        for (int i = 0; i < receipts.length; i++) {
            Receipts each = receipts[i];
            each.endedBy(end);
            recorder.append(consumers[i], iteration, phase, start, each.end, each.handled);
            double own = each.rate(start);
            rate = i == 0 ? own : shape.shared() ? rate + own : Math.min(rate, own);
        }
        long full = grown(pacers, Sender::full, fullBefore);
        long refused = grown(pacers, Sender::refused, refusedBefore);
        if (!phase.equals(Phases.WARMUP)) {
            samples(iteration, phase, start, end, pacers);
            known(iteration, "full", full);
            known(iteration, "failed_offers", refused);
            measures(iteration, pacers);
            if (services != null) {
                services.keep(iteration, phase, start, receipts[0]);
            }
        }
        return rate;
    }

    /** The trial is over: leaves what is known only now. */
    void finish() {
        if (services != null) {
            services.leave(receipts[0].awake);
        }
    }

    /**
     * The median time from an event's due time to the end of its handler, of the slowest consumer; of the generator
     * alone to its sending. Where too few are sampled, how long after the deadline all were done. 0 but in the phases
     * that ask.
     */
    double took(String phase, long deadline, Pacer[] pacers) {
        if (!phase.startsWith(Load.CAPACITY)) {
            return 0;
        }
        double greatest = 0;
        long fewest = Long.MAX_VALUE;
        long end = 0;
        for (int i = shape.stages(); i < receipts.length; i++) {
            greatest = Math.max(greatest, receipts[i].intended.median());
            fewest = Math.min(fewest, receipts[i].intended.count());
            end = Math.max(end, receipts[i].end);
        }
        for (Pacer pacer : receipts.length == 0 ? pacers : new Pacer[0]) {
            greatest = Math.max(greatest, pacer.late.median());
            fewest = Math.min(fewest, pacer.late.count());
            end = Math.max(end, pacer.end);
        }
        return fewest < FEWEST ? end - deadline : greatest;
    }

    /** Rows of the sampled durations, with the start, end and operations of the first consumer's row. */
    private void samples(int iteration, String phase, long start, long sendingEnd, Pacer[] pacers) {
        boolean alone = receipts.length == 0;
        long end = alone ? sendingEnd : receipts[0].end;
        long operations = alone ? pacers[0].sent() : receipts[0].handled;
        for (Sampled each : sampled) {
            for (int i = shape.stages(); i < receipts.length; i++) {
                each.of().apply(receipts[i]).addTo(each.series());
            }
            recorder.append(each.series(), iteration, phase, start, end, operations);
        }
        if (stamped) {
            for (Pacer pacer : pacers) {
                pacer.late.addTo(late);
            }
            recorder.append(late, iteration, phase, start, end, operations);
        }
    }

    private void measures(int iteration, Pacer[] pacers) {
        if (pacers[0].occupancySamples > 0) {
            recorder.measure(iteration, "occupancy_sum", pacers[0].occupancySum);
            recorder.measure(iteration, "occupancy_samples", pacers[0].occupancySamples);
        }
        if (receipts.length > 0) {
            consumers(iteration);
        }
    }

    private void consumers(int iteration) {
        long handled = 0;
        long polls = 0;
        long backward = 0;
        for (Receipts each : receipts) {
            handled += each.handled;
            polls = each.polls && polls >= 0 ? polls + each.failedPolls : UNKNOWN;
            backward += each.backward;
        }
        recorder.measure(iteration, "handled", handled);
        known(iteration, "failed_polls", polls);
        recorder.measure(iteration, "clock_backward", backward);
        receipts[0].batches.measures((name, value) -> recorder.measure(iteration, name, value));
    }

    /** How much a count of the senders has grown since the iteration before, or {@link #UNKNOWN}. */
    private static long grown(Pacer[] pacers, ToLongFunction<Sender> count, long[] before) {
        long grown = 0;
        for (int i = 0; i < pacers.length; i++) {
            long now = count.applyAsLong(pacers[i].sender);
            if (now < 0) {
                return UNKNOWN;
            }
            grown += now - before[i];
            before[i] = now;
        }
        return grown;
    }

    private void known(int iteration, String name, long count) {
        if (count != UNKNOWN) {
            recorder.measure(iteration, name, count);
        }
    }
}
