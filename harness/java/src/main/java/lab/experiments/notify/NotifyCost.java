package lab.experiments.notify;

import java.util.List;
import java.util.function.Supplier;
import lab.Experiment;
import lab.Failure;
import lab.Native;
import lab.Parameter;
import lab.Parameters;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * What does a notification cost the thread that makes it? An iteration is one run of {@code notifies} notifications by
 * each of {@code pairs} notifiers, all at once (fewer where that is more than {@code iteration-most} in all); its
 * length is what that takes. Two series hold all pairs' samples together: {@code notify}, the waking call alone, and
 * {@code block}, from before the lock is taken to after it is released (a monitor wakes the waiter only there). A
 * block's duration contains the two readings of the clock inside.
 *
 * <p>The workers are the notifiers, and the waiters are started beside them, so {@code --threads} must be left out.
 * Nothing is pinned: where the scheduler runs the woken thread is part of the question.
 *
 * <p>Run, and expect {@code notify} to be the smaller part of {@code block}, for a monitor wakes the waiter at its
 * release:
 * <pre>
 * java -jar harness/java/target/lab-harness.jar notify_cost --variant object_notify \
 *     --warmup 5 --iterations 50 --out /tmp/x.hlog
 * </pre>
 */
public final class NotifyCost implements Experiment {
    private static final int MOST_PAIRS = 512;
    private static final int MOST_NOTIFIES = 100_000;

    @Override
    public String name() {
        return "notify_cost";
    }

    @Override
    public List<Variant> variants() {
        return Variant.all("object_notify", "condition_signal", "unpark", "no_notify");
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.ofInt("pairs", 1, MOST_PAIRS, 1),
                Parameter.ofInt("notifies", 1, MOST_NOTIFIES, 1000),
                Parameter.ofInt("iteration-most", 1, MOST_PAIRS * MOST_NOTIFIES, MOST_PAIRS * MOST_NOTIFIES),
                Parameter.ofInt("warmup-notifies", 1, 1_000_000, 2000),
                Parameter.ofInt("pace-us", 0, 1_000_000, 0));
    }

    @Override
    public void run(Trial trial) {
        measure(trial, () -> pair(trial.variant()), Workers.GRACE_NANOS);
    }

    private static Pair pair(String variant) {
        return switch (variant) {
            case "object_notify" -> new MonitorPair();
            case "condition_signal" -> new ConditionPair();
            case "unpark" -> new UnparkPair();
            case "no_notify" -> new SilentPair();
            default -> throw new IllegalArgumentException("no pair for variant " + variant);
        };
    }

    /** Runs the trial on pairs of one kind, and checks that every number was taken once and in order. */
    static void measure(Trial trial, Supplier<Pair> kind, long graceNanos) {
        Sizes sizes = new Sizes(trial);
        trial.requireThreads(1, "leave it out: the threads are two for each of --pairs");
        if (trial.cpus().length > 0) {
            throw Failure.argument(
                    "--cpus",
                    Integer.toString(trial.cpus()[0]),
                    "leave it out: notifiers and waiters run where the scheduler puts them (placement free)");
        }
        trial.parameters().put("threads", (long) sizes.pairs);
        Pair[] pairs = new Pair[sizes.pairs];
        try {
            for (int i = 0; i < pairs.length; i++) {
                pairs[i] = kind.get();
                pairs[i].start(sizes.most(), sizes.yields());
            }
            Workers.platform(trial).patience(sizes.longestNanos() + graceNanos).run(new Notifiers(trial, sizes, pairs));
        } finally {
            for (Pair pair : pairs) {
                if (pair != null) {
                    pair.end();
                }
            }
        }
        check(trial, sizes, pairs);
    }

    private static void check(Trial trial, Sizes sizes, Pair[] pairs) {
        long taken = 0;
        long inOrder = 0;
        for (Pair pair : pairs) {
            taken += pair.taken;
            inOrder += pair.inOrder;
        }
        long handed = sizes.handedOver() * pairs.length;
        trial.recorder().check("numbers taken equal notifications", handed, taken);
        trial.recorder().check("numbers taken in order, each once", handed, inOrder);
    }

    /** The sizes of a trial as understood. */
    private static final class Sizes {
        final int pairs;
        final int notifies;
        final int warmupNotifies;
        final long paceNanos;
        private final Trial trial;

        Sizes(Trial trial) {
            Parameters parameters = trial.parameters();
            this.trial = trial;
            pairs = parameters.getInt("pairs");
            int most = parameters.getInt("iteration-most") / pairs;
            notifies = Math.max(1, Math.min(parameters.getInt("notifies"), most));
            paceNanos = parameters.getLong("pace-us") * 1000;
            // Warming up is a matter of how often the code ran in all, whatever the number of pairs.
            int inAll = parameters.getInt("warmup-notifies");
            warmupNotifies = (inAll + pairs - 1) / pairs;
        }

        int notifies(int iteration) {
            return trial.measured(iteration) ? notifies : warmupNotifies;
        }

        int most() {
            return Math.max(notifies, warmupNotifies);
        }

        /** What an iteration may take. */
        long longestNanos() {
            return notifies * paceNanos + (long) pairs * most() * Workers.WAKE_NANOS;
        }

        /** Whether there are more threads than CPUs. */
        boolean yields() {
            return 2 * pairs > Runtime.getRuntime().availableProcessors();
        }

        /** Numbers that one pair hands over in all. */
        long handedOver() {
            long sum = 0;
            for (int i = 0; i < trial.iterations(); i++) {
                sum += notifies(i);
            }
            return sum;
        }
    }

    /** The notifiers' iterations, and what is left of each. */
    private static final class Notifiers implements Workers.Body {
        private final Trial trial;
        private final Sizes sizes;
        private final Pair[] pairs;
        private final Series notify;
        private final Series block;
        private final boolean watches = Native.available();

        Notifiers(Trial trial, Sizes sizes, Pair[] pairs) {
            this.trial = trial;
            this.sizes = sizes;
            this.pairs = pairs;
            notify = trial.recorder().series("notify");
            block = trial.recorder().series("block");
        }

        @Override
        public void run(Worker worker, int from, int to) {
            Pair pair = pairs[worker.index()];
            for (int iteration = from; iteration < to; iteration++) {
                boolean measured = trial.measured(iteration);
                int now = iteration;
                worker.begin(iteration);
                pair.run(sizes.notifies(iteration), measured ? sizes.paceNanos : 0, watches && measured);
                worker.end(pair.samples, worker.index() == 0 ? () -> append(now) : () -> {});
            }
        }

        /** All pairs' samples of an iteration as its two rows, and the notifiers' context switches in it. */
        private void append(int iteration) {
            long start = pairs[0].startNanos;
            long end = pairs[0].endNanos;
            long operations = 0;
            long watched = 0;
            long voluntary = 0;
            long involuntary = 0;
            for (Pair pair : pairs) {
                for (int i = 0; i < pair.samples; i++) {
                    notify.add(pair.notifyNanos(i));
                    block.add(pair.blockNanos(i));
                }
                operations += pair.samples;
                start = Math.min(start, pair.startNanos);
                end = Math.max(end, pair.endNanos);
                watched += pair.watched;
                voluntary += pair.switches(0);
                involuntary += pair.switches(1);
            }
            for (Series series : List.of(notify, block)) {
                trial.recorder().append(series, iteration, trial.phase(iteration), start, end, operations);
            }
            if (watched > 0) {
                trial.recorder().measure(iteration, "watched_blocks", watched);
                trial.recorder().measure(iteration, "block_switches_voluntary", voluntary);
                trial.recorder().measure(iteration, "block_switches_involuntary", involuntary);
            }
        }
    }
}
