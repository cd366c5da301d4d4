package lab.experiments.locks;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import lab.Clock;
import lab.Experiment;
import lab.Failure;
import lab.Parameter;
import lab.Parameters;
import lab.Recorder;
import lab.Trial;
import lab.VirtualThreads;
import lab.Workers;

/**
 * What does a contended lock cost as threads are added? One operation acquires the lock, increments the shared counter
 * and releases. Nothing of it is timed: who reads the clock before it asks for a lock gives that lock away. With
 * {@code log} whoever becomes the owner reads it inside ({@link OwnerLog}), in every second iteration, and hand-overs,
 * waits and the residence time of every operation follow from that. The others show what the log costs.
 *
 * <p>With {@code outside} a thread works that many nanoseconds, on the average, between a release and its next acquire:
 * N threads in a closed queue in front of one server. There every operation is timed, clock to clock, and is the
 * sample, and so is the work before it: readings are part of the work outside. The log is of operations then, and says
 * what each took of the lock ({@link LockServices}).
 *
 * <p>Run, and expect two threads to do less together than one of {@code --threads 1} alone:
 * <pre>
 * java -jar harness/java/target/lab-harness.jar lock_scaling --variant monitor --threads 2 \
 *     --log 16384 --warmup 5 --iterations 50 --out /tmp/x.hlog
 * </pre>
 */
public final class LockScaling implements Experiment {
    /** Of the clock, at each operation with work outside. */
    private static final int READINGS = 2;

    @Override
    public String name() {
        return "lock_scaling";
    }

    @Override
    public List<Variant> variants() {
        String noVirtual = VirtualThreads.missing();
        return Variant.all(
                name -> name.endsWith("_virtual") ? noVirtual : "",
                "no_lock",
                "atomic",
                "monitor",
                "reentrant_lock",
                "reentrant_lock_fair",
                "stamped_lock",
                "monitor_virtual",
                "reentrant_lock_virtual");
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.choice("warmup-style", "short", "long"),
                Parameter.ofInt("sample-every", 1, 1 << 20, 64),
                Parameter.ofInt("log", 0, 1 << 20, 0),
                Parameter.ofInt("outside", 0, 1_000_000, 0),
                Parameter.choice("outside-law", "constant", "exponential"));
    }

    @Override
    public void run(Trial trial) {
        Parameters parameters = trial.parameters();
        int sampleEvery = parameters.getPowerOfTwo("sample-every");
        if (trial.variant().equals("no_lock")) {
            trial.requireThreads(1, "variant no_lock protects nothing and takes 1 thread only");
        }
        int log = parameters.getInt("log");
        SharedCounter counter = new SharedCounter();
        OwnerLog[] logs = log > 0 ? OwnerLogs.of(trial, log) : new OwnerLog[0];
        if (parameters.getInt("outside") == 0) {
            measure(trial, kernel(trial.variant(), counter, sampleEvery, owners(trial, logs)), new Outside[0], logs);
        } else if (sampleEvery > 1) {
            throw parameters.refused(
                    "sample-every", "is not accepted with --outside, where every operation is timed: give 1");
        } else {
            Outside[] outside = outside(trial);
            measure(trial, outsideKernel(trial.variant(), counter, outside, logs), outside, logs);
        }
    }

    private static Owner[] owners(Trial trial, OwnerLog[] logs) {
        if (logs.length > 0) {
            return logs;
        }
        Owner[] careless = new Owner[trial.threads()];
        Arrays.setAll(careless, i -> new Owner.Careless());
        return careless;
    }

    private static Outside[] outside(Trial trial) {
        double step = Outside.stepNanos();
        trial.recorder().measure(-1, "outside_step_ns", step);
        boolean exponential = trial.parameters().getString("outside-law").equals("exponential");
        Outside[] outside = new Outside[trial.threads()];
        for (int i = 0; i < outside.length; i++) {
            outside[i] = new Outside(trial.parameters().getInt("outside") / step, exponential, i);
        }
        return outside;
    }

    private static LockKernel outsideKernel(String variant, SharedCounter counter, Outside[] outside, OwnerLog[] logs) {
        return switch (variant) {
            case "monitor", "monitor_virtual" -> new MonitorOutsideKernel(counter, outside, logs);
            case "reentrant_lock", "reentrant_lock_virtual" ->
                new ReentrantOutsideKernel(counter, new ReentrantLock(false), outside, logs);
            case "reentrant_lock_fair" -> new ReentrantOutsideKernel(counter, new ReentrantLock(true), outside, logs);
            default ->
                throw Failure.argument("--variant", variant, "with --outside must be a monitor or a ReentrantLock");
        };
    }

    private static LockKernel kernel(String variant, SharedCounter counter, int chunk, Owner[] owners) {
        return switch (variant) {
            case "no_lock" -> new NoLockKernel(counter, chunk);
            case "atomic" -> new AtomicKernel(counter, chunk, owners);
            case "monitor", "monitor_virtual" -> new MonitorKernel(counter, chunk, owners);
            case "reentrant_lock", "reentrant_lock_virtual" ->
                new ReentrantKernel(counter, chunk, owners, new ReentrantLock(false));
            case "reentrant_lock_fair" -> new ReentrantKernel(counter, chunk, owners, new ReentrantLock(true));
            case "stamped_lock" -> new StampedKernel(counter, chunk, owners);
            default -> throw new IllegalArgumentException("no kernel for variant " + variant);
        };
    }

    /** Runs the kernel, leaves its measures, and checks that no increment was lost. */
    static void measure(Trial trial, LockKernel kernel, Outside[] outside, OwnerLog[] logs) {
        OwnerLogs owners = new OwnerLogs(trial, kernel.counter, logs);
        Bookkeeping bookkeeping = new Bookkeeping(trial, owners, outside);
        Workers workers = trial.variant().endsWith("_virtual") ? Workers.virtual(trial) : Workers.platform(trial);
        workers.oneInvocation(trial.parameters().getString("warmup-style").equals("long"))
                .opening(owners)
                .afterIteration(bookkeeping)
                .run(kernel);
        owners.leave();
        trial.recorder().check("counter equals increments", bookkeeping.increments, kernel.counter.value());
        if (outside.length > 0) {
            checkOutside(trial, outside);
        }
    }

    private static void checkOutside(Trial trial, Outside[] outside) {
        long expected = 0;
        long made = 0;
        for (Outside each : outside) {
            expected += each.expected();
            made += each.made();
        }
        trial.recorder().check("sum of the adds outside", expected, made);
    }

    /** What happens between iterations: the measures of the last one, the logs of the next. */
    private static final class Bookkeeping implements Workers.AfterIteration {
        private final Recorder recorder;
        private final OwnerLogs owners;
        private final Outside[] outside;
        private final double clockNanos;
        private long increments;

        Bookkeeping(Trial trial, OwnerLogs owners, Outside[] outside) {
            recorder = trial.recorder();
            this.owners = owners;
            this.outside = outside;
            clockNanos = outside.length > 0 ? Clock.readCost() : 0;
        }

        @Override
        public void ended(int iteration, long[] operations) {
            long sum = 0;
            for (long each : operations) {
                sum += each;
            }
            increments += sum;
            recorder.measure(iteration, "gini", OwnerRuns.gini(operations));
            owners.ended(iteration, sum);
            if (outside.length > 0) {
                measureOutside(iteration, sum);
            }
        }

        /**
         * What the timed operations of all threads say about the time between release and acquire and about the time at
         * the lock. Every piece of work was timed clock to clock, and so holds one reading, as does every sample. An
         * operation reads the clock outside the lock: that belongs to the time outside.
         */
        private void measureOutside(int iteration, long operations) {
            double pieces = 0;
            double outsideNanos = 0;
            double lockNanos = 0;
            double runs = 0;
            for (Outside each : outside) {
                pieces += each.pieces;
                outsideNanos += each.timedNanos;
                lockNanos += each.lockNanos;
                runs += each.runs;
            }
            outsideNanos += pieces * (READINGS - 1) * clockNanos;
            lockNanos -= pieces * clockNanos;
            recorder.measure(iteration, "window_operations", operations);
            recorder.measure(iteration, "owner_runs", runs);
            recorder.measure(iteration, "timed_operations", pieces);
            recorder.measure(iteration, "outside_ns", outsideNanos);
            recorder.measure(iteration, "outside_mean_ns", outsideNanos / pieces);
            recorder.measure(iteration, "lock_mean_ns", lockNanos / pieces);
        }
    }
}
