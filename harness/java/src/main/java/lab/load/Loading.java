package lab.load;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import lab.Failure;
import lab.Phases;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * Runs a trial under load. Workers are the producers, then the receivers. At load 0 each iteration is as fast as the
 * other side takes it. Else the trial first warms up on every path (as fast as possible, paced, nothing, bursts), then
 * measures the capacity of the other side by the code that paces, then sends at the load asked for, then measures the
 * capacity again.
 */
public final class Loading implements Workers.Body, Workers.Opening, Workers.AfterIteration {
    /** From the opening of an iteration to its start, the same for all workers. */
    static final long LEAD_NANOS = 50_000;
    /** Share of the last rate that warm-up iterations are paced at: no capacity is known yet. */
    private static final double WARMUP_SHARE = 0.5;

    private static final Path SLACK = Path.of("/proc/self/timerslack_ns");
    /**
     * After each warm-up iteration nobody works for so long: where every CPU has a worker that spins, the compiler
     * would come too late with what warm-up is for.
     */
    private static final long PAUSE_NANOS = 3_000_000;

    private static final int WARMUP_KINDS = 4;

    /** Looks from outside at what an iteration does, besides what its rows tell. */
    public interface Observer {
        /** All workers have arrived, none has begun. */
        void opens(int iteration);

        /** All workers have ended, nothing is folded yet. @param measured neither warm-up nor capacity */
        void ended(int iteration, boolean measured);
    }

    private final Trial trial;
    private final Load load;
    private final Shape shape;
    private final Phases phases;
    private final Receipts[] receipts;
    private final Account account;
    private final Totals totals;
    private Arrivals arrivals;
    private final Schedule[] schedules;
    private Pacer[] pacers;
    private Receiver[] receivers;
    private final List<Double> capacities = new ArrayList<>();
    private final List<Double> capacitiesAfter = new ArrayList<>();
    private long startNanos;
    private double lastRate;
    private long collections;
    private Observer observer;

    public Loading(Trial trial, Load load, Shape shape) {
        this.trial = trial;
        this.load = load;
        this.shape = shape;
        phases = load.phases(trial);
        receipts = new Receipts[shape.consumers()];
        KnownWork known = load.work() > 0 ? new KnownWork(load) : null;
        for (int i = 0; i < receipts.length; i++) {
            Work work = known == null ? null : known.work(i);
            receipts[i] = new Receipts(shape.producers(), shape.ordered(), shape.pairs(), load, work);
        }
        if (known != null) {
            trial.recorder().measure(-1, "", "work_mean_ns", known.meanNanos());
        }
        schedules = new Schedule[shape.producers()];
        Arrays.setAll(schedules, producer -> new Schedule());
        account = new Account(trial, load, shape, receipts);
        totals = new Totals(load, shape);
    }

    /** Sets who looks on. */
    public Loading observer(Observer observer) {
        this.observer = observer;
        return this;
    }

    /** What the consumer of that number has to call. */
    public Receipts receipts(int consumer) {
        return receipts[consumer];
    }

    /**
     * Runs all iterations, and leaves rows, measures and checks.
     *
     * @param senders    one for each producer
     * @param receivers  workers of this trial that take events; none where threads of the other side's own do
     * @param graceNanos how long beyond its length an iteration may take before the trial is given up
     */
    public void run(Sender[] senders, Receiver[] receivers, long graceNanos) {
        this.receivers = receivers;
        boolean yields = shape.producers() + shape.consumers() > trial.usableCpus();
        pacers = new Pacer[senders.length];
        for (int i = 0; i < pacers.length; i++) {
            pacers[i] = new Pacer(
                    senders[i],
                    i,
                    load.sampleEvery(),
                    yields,
                    senders.length == 1 && receipts.length > 0 ? this::handled : null,
                    load.seed());
        }
        if (load.paced()) {
            arrivals = new Arrivals(load.uniform(), load.seed());
        }
        trial.parameters().put("threads", (long) (senders.length + receivers.length));
        prepare(0);
        Workers.platform(trial)
                .phases(phases)
                .opening(this)
                .afterIteration(this)
                .abandon(this::abandon)
                .patience((long) (trial.iterationNanos() * load.overrun()) + load.stallMs() * 1_000_000L + graceNanos)
                .run(this);
        finish();
    }

    private void abandon() {
        for (Receiver receiver : receivers) {
            receiver.abandon();
        }
    }

    /** Events handled so far by the slowest consumer, or by all together. */
    private long handled() {
        long handled = receipts[0].handled();
        for (int i = 1; i < receipts.length; i++) {
            long each = receipts[i].handled();
            handled = shape.shared() ? handled + each : Math.min(handled, each);
        }
        return handled;
    }

    @Override
    public void run(Worker worker, int from, int to) {
        int producers = pacers.length;
        int index = worker.index();
        for (int iteration = from; iteration < to; iteration++) {
            worker.begin(iteration);
            if (index < producers) {
                send(pacers[index], index);
                worker.end(pacers[index].sent(), Loading::nothing);
            } else {
                receive(receivers[index - producers], index - producers);
                worker.end(0, Loading::nothing);
            }
        }
    }

    /** All rows of an iteration are made at once, after it. */
    private static void nothing() {}

    private void send(Pacer pacer, int index) {
        try {
            if (load.paced()) {
                pacer.pace();
            } else {
                pacer.flood();
            }
        } catch (RuntimeException e) {
            throw died("producer " + index, e);
        }
    }

    private static void receive(Receiver receiver, int index) {
        try {
            receiver.receive();
        } catch (RuntimeException e) {
            throw died("consumer " + index, e);
        }
    }

    private static Failure died(String who, RuntimeException cause) {
        return cause instanceof Failure ? (Failure) cause : Failure.check(who + " died: " + cause);
    }

    @Override
    public void opens(int iteration, long deadline) {
        if (observer != null) {
            observer.opens(iteration);
        }
        startNanos = deadline - phases.of(iteration).nanos() + LEAD_NANOS;
        for (Receipts each : receipts) {
            each.opens(startNanos);
        }
        for (Pacer pacer : pacers) {
            pacer.opens(startNanos);
        }
    }

    @Override
    public void ended(int iteration, long[] operations) {
        if (observer != null) {
            observer.ended(iteration, phases.measured(iteration));
        }
        String phase = phases.of(iteration).name();
        double rate = account.ended(iteration, phase, startNanos, pacers);
        for (int i = 0; i < pacers.length; i++) {
            totals.sent(pacers[i], schedules[i]);
        }
        for (Receipts each : receipts) {
            totals.handled(each);
        }
        if (rate > 0) {
            lastRate = rate;
        }
        if (phase.equals(Load.CAPACITY)) {
            capacities.add(rate);
        } else if (phase.equals(Load.CAPACITY_AFTER)) {
            capacitiesAfter.add(rate);
        }
        if (phase.equals(Phases.WARMUP)) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        int next = iteration + 1;
        if (phases.measured(iteration) && (next == phases.iterations() || !phases.measured(next))) {
            trial.recorder().measure(-1, "", "gc_collections", collections() - collections);
        }
        if (next < phases.iterations()) {
            prepare(next);
        }
    }

    private static long collections() {
        long count = 0;
        for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
            count += each.getCollectionCount();
        }
        return count;
    }

    private void prepare(int iteration) {
        Phases.Phase phase = phases.of(iteration);
        for (int producer = 0; producer < schedules.length; producer++) {
            schedule(schedules[producer], phase, iteration, Arrivals.place(iteration, producer, schedules.length));
            pacers[producer].prepare(schedules[producer]);
        }
        boolean measured = phases.measured(iteration);
        long settled = load.paced() ? schedules[0].settled() : 0;
        long stallAt = Long.MAX_VALUE;
        int middle = phases.first(Phases.MEASURED) + trial.parameters().getInt("iterations") / 2;
        if (load.stallMs() > 0 && iteration == middle) {
            stallAt = schedules[0].events() / 2;
        }
        for (Receipts each : receipts) {
            each.prepare(load.paced(), settled, phase.nanos(), stallAt);
        }
        if (measured && iteration == phases.first(Phases.MEASURED)) {
            collections = collections();
        }
    }

    private void schedule(Schedule schedule, Phases.Phase phase, int iteration, int place) {
        if (!load.paced() || phase.name().startsWith(Load.CAPACITY)) {
            schedule.saturated(phase.nanos());
        } else if (phase.name().equals(Phases.MEASURED)) {
            schedule.paced(arrivals, place, rate() / schedules.length, phase.nanos());
        } else {
            double rate = WARMUP_SHARE * lastRate / schedules.length;
            switch (rate == 0 ? 0 : iteration % WARMUP_KINDS) {
                case 1:
                    schedule.paced(arrivals, place, rate, phase.nanos());
                    break;
                case 2:
                    schedule.empty();
                    break;
                case 3:
                    schedule.bursts(arrivals, place, rate, phase.nanos());
                    break;
                default:
                    schedule.saturated(phase.nanos());
            }
        }
    }

    /** Events per second that the measured iterations are to have. */
    private double rate() {
        return load.rate() > 0 ? load.rate() : load.percent() / 100.0 * sustained(capacities);
    }

    private void finish() {
        if (load.paced()) {
            String name = receipts.length == 0 ? "generator_capacity" : Load.CAPACITY;
            trial.recorder().measure(-1, "", name, sustained(capacities));
            trial.recorder()
                    .measure(-1, "", name.replace(Load.CAPACITY, Load.CAPACITY_AFTER), sustained(capacitiesAfter));
        }
        slack();
        totals.check(trial.recorder());
    }

    /** How late the kernel may wake a thread that sleeps for a time; left out where it does not say. */
    private void slack() {
        try {
            double slack = Double.parseDouble(Files.readString(SLACK).trim());
            trial.recorder().measure(-1, "", "timer_slack_ns", slack);
        } catch (IOException unknown) {
            return;
        }
    }

    /**
     * What three in four iterations reach. A structure whose buffer is full may be several times as fast as one that is
     * nearly empty, and an iteration may be of either kind: a load has to be one that the slower kind can bear.
     */
    private static double sustained(List<Double> rates) {
        return rates.stream().sorted().skip(rates.size() / 4).findFirst().orElseThrow();
    }
}
