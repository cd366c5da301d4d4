package lab.load;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import lab.Failure;
import lab.Phases;
import lab.Recorder;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * Runs a trial under load. Workers are the producers, then the receivers. At load 0 each iteration is as fast as the
 * other side takes it. Else the trial first warms up, then measures the capacity of the other side by the code that
 * paces, then sends at the load asked for, then measures the capacity again.
 */
public final class Loading implements Workers.Body, Workers.Opening, Workers.AfterIteration {
    /** From the opening of an iteration to its start, the same for all workers. */
    private static final long LEAD_NANOS = 50_000;
    /**
     * After each warm-up iteration nobody works for so long: where every CPU has a worker that spins, the compiler
     * would come too late with what warm-up is for.
     */
    private static final long PAUSE_NANOS = 3_000_000;

    /** Looks from outside at what an iteration does, besides what its rows tell. */
    public interface Observer {
        /** All workers have arrived, none has begun. */
        void opens(int iteration);

        /** All workers have ended, nothing is folded yet. @param measured neither warm-up nor capacity */
        void ended(int iteration, boolean measured);
    }

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Trial trial;
    private final Load load;
    private final Shape shape;
    private final Timetable timetable;
    private final Phases phases;
    private final Receipts[] receipts;
    private final Account account;
    private final Totals totals;
    private final Surroundings surroundings;
    private Pacer[] pacers;
    private Receiver[] receivers;
    /** By worker, in this iteration. */
    private long[] cpuNanos;

    private long startNanos;
    private Observer observer;
    private int beside;

    public Loading(Trial trial, Load load, Shape shape) {
        this.trial = trial;
        this.load = load;
        this.shape = shape;
        timetable = new Timetable(trial, load, shape.producers());
        phases = timetable.phases;
        receipts = new Receipts[shape.consumers()];
        KnownWork known = load.work() > 0 ? new KnownWork(load) : null;
        for (int i = 0; i < receipts.length; i++) {
            Work work = known == null ? null : known.work(i);
            receipts[i] = new Receipts(shape.producers(), shape.ordered(), shape.pairs(), load, work);
        }
        if (known != null) {
            trial.recorder().measure(-1, "work_mean_ns", known.meanNanos());
        }
        account = new Account(trial, load, shape, receipts);
        totals = new Totals(load, shape);
        surroundings = new Surroundings(trial.recorder());
    }

    /** Sets who looks on. */
    public Loading observer(Observer observer) {
        this.observer = observer;
        return this;
    }

    /** Sets how many threads of the other side's own run beside the workers, on the CPUs after theirs. */
    public Loading beside(int threads) {
        beside = threads;
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
        cpuNanos = new long[senders.length + receivers.length];
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
        trial.parameters().put("threads", (long) (senders.length + receivers.length));
        prepare(0);
        Workers.platform(trial)
                .phases(phases)
                .beside(beside)
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
            long before = THREADS.getCurrentThreadCpuTime();
            if (index < producers) {
                send(pacers[index], index);
                cpuNanos[index] = THREADS.getCurrentThreadCpuTime() - before;
                worker.end(pacers[index].sent(), Loading::nothing);
            } else {
                receive(receivers[index - producers], index - producers);
                cpuNanos[index] = THREADS.getCurrentThreadCpuTime() - before;
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
        if (phases.measured(iteration)) {
            trial.recorder()
                    .measure(iteration, "cpu_ns", Arrays.stream(cpuNanos).sum());
        }
        String phase = phases.of(iteration).name();
        double rate = account.ended(iteration, phase, startNanos, pacers);
        timetable.handled(
                iteration,
                rate,
                account.took(phase, startNanos + phases.of(iteration).nanos(), pacers));
        for (int i = 0; i < pacers.length; i++) {
            totals.sent(pacers[i], timetable.schedule(i));
        }
        for (int i = 0; i < receipts.length; i++) {
            totals.handled(i, receipts[i]);
        }
        if (phase.equals(Phases.WARMUP)) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        int next = iteration + 1;
        if (phases.measured(iteration) && (next == phases.iterations() || !phases.measured(next))) {
            surroundings.measuredEnd();
        }
        if (next < phases.iterations()) {
            prepare(next);
        }
    }

    private void prepare(int iteration) {
        timetable.make(iteration);
        for (int producer = 0; producer < pacers.length; producer++) {
            pacers[producer].prepare(timetable.schedule(producer));
        }
        long settled = timetable.settled();
        for (Receipts each : receipts) {
            each.prepare(load.paced(), settled, phases.of(iteration).nanos(), timetable.stallAt(iteration));
        }
        if (iteration == phases.first(Phases.MEASURED)) {
            surroundings.measuredBegin();
        }
    }

    private void finish() {
        account.finish();
        timetable.leave(trial.recorder(), receipts.length == 0 ? "generator_capacity" : "capacity");
        surroundings.slack();
        totals.check(trial.recorder(), receipts);
    }

    /**
     * What runtime and kernel add to a trial: collections while it measures, and how late a sleeping thread may wake.
     */
    static final class Surroundings {
        private static final Path SLACK = Path.of("/proc/self/timerslack_ns");

        private final Recorder recorder;
        private long before;

        Surroundings(Recorder recorder) {
            this.recorder = recorder;
        }

        /** The first measured iteration comes next. */
        void measuredBegin() {
            before = collections();
        }

        /** The last measured iteration has ended. */
        void measuredEnd() {
            recorder.measure(-1, "gc_collections", collections() - before);
        }

        private static long collections() {
            long count = 0;
            for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
                count += each.getCollectionCount();
            }
            return count;
        }

        /** How late the kernel may wake a thread that sleeps for a time; left out where it does not say. */
        void slack() {
            try {
                double slack = Double.parseDouble(Files.readString(SLACK).trim());
                recorder.measure(-1, "timer_slack_ns", slack);
            } catch (IOException unknown) {
                return;
            }
        }
    }
}
