package lab.experiments.executor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import lab.Experiment;
import lab.Parameter;
import lab.Parameters;
import lab.Recorder;
import lab.Trial;
import lab.VirtualThreads;
import lab.Workers;
import lab.load.Load;
import lab.load.Loading;
import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Shape;

/**
 * What does it cost to hand a tiny task to a pool? Each of {@code producers} threads hands a range of numbers, a task
 * for each, to a pool of {@code workers} threads, which sum them: as fast as the pool runs them (load 0), or at a load.
 * Series are those of all experiments under load; {@code c0}, {@code c1}, ... are the pool's workers.
 *
 * <p>The producers are the workers of the trial, so {@code --threads} must be left out. Worker i of the pool belongs on
 * the CPU after those of the producers and of the workers before it.
 *
 * <p>Run, and expect some millions of tasks per second with spinning workers, and several times fewer with the JDK's
 * pool; its allocated_bytes are about 24 per task, a node of the queue:
 * <pre>
 * java -XX:+UseParallelGC -Xms1g -Xmx1g -Xmn800m -jar harness/java/target/lab-harness.jar executor \
 *     --variant tpe_lbq --cpus 0,1 --warmup 25 --iterations 25 --out /tmp/x.hlog
 * </pre>
 */
public final class Executor implements Experiment {
    private static final int MOST_THREADS = 64;
    private static final int MOST_WINDOW = 1 << 16;
    /** Room in a queue, and more where all windows together need it. */
    private static final int SLOTS = 1 << 16;

    private static final int MOST_UNDER_WAY = 1 << 20;
    private static final int MOST_SPIN = 1_000_000;
    /** Variants whose workers never sleep, where each has a CPU. */
    private static final List<String> AWAKE = List.of("lockfree_spin", "disruptor_striped", "disruptor_shared");

    @Override
    public String name() {
        return "executor";
    }

    @Override
    public List<Variant> variants() {
        return Variant.all(
                name -> name.equals("virtual") ? VirtualThreads.missing() : "",
                "caller",
                "single",
                "tpe_lbq",
                "tpe_abq",
                "tpe_ltq",
                "fjp",
                "virtual",
                "lockfree_spin",
                "lockfree_park",
                "disruptor_striped",
                "disruptor_shared");
    }

    @Override
    public List<Parameter> parameters() {
        List<Parameter> parameters = new ArrayList<>(List.of(
                Parameter.ofInt("producers", 1, MOST_THREADS, 1),
                Parameter.ofInt("workers", 1, MOST_THREADS, 1),
                Parameter.ofInt("window", 1, MOST_WINDOW, 4096),
                Parameter.choice("tasks", "reused", "fresh"),
                Parameter.ofInt("spin", 0, MOST_SPIN, 1000)));
        parameters.addAll(Load.parameters());
        return parameters;
    }

    @Override
    public void run(Trial trial) {
        measure(trial, Pools::of, Workers.GRACE_NANOS);
    }

    /** Makes the pool of a variant. */
    interface Kind {
        Pool of(String variant, Crew crew, int slots, boolean yields, int spin);
    }

    /** Runs the trial on a pool, ends the pool, and checks both. */
    static void measure(Trial trial, Kind kind, long graceNanos) {
        Sizes sizes = new Sizes(trial);
        Load load = Load.of(trial);
        boolean alone = trial.variant().equals("caller");
        // Who runs tasks: the workers, or each producer its own.
        int consumers = alone ? sizes.producers : sizes.workers;
        Loading loading = new Loading(trial, load, new Shape(sizes.producers, consumers, true, sizes.ordered()));
        Receipts[] receipts = new Receipts[consumers];
        Arrays.setAll(receipts, loading::receipts);
        if (AWAKE.contains(trial.variant()) && !sizes.yields()) {
            Arrays.stream(receipts).forEach(Receipts::staysAwake);
        }
        Crew crew = new Crew(alone ? new Receipts[0] : receipts, sizes.workerCpus());
        Pool pool = kind.of(trial.variant(), crew, sizes.slots(), sizes.yields(), sizes.spin);
        Submitter[] submitters = new Submitter[sizes.producers];
        for (int i = 0; i < submitters.length; i++) {
            Receipts only = alone ? receipts[i] : sizes.workers == 1 ? receipts[0] : null;
            submitters[i] = new Submitter(pool, crew, only, sizes.window, sizes.fresh, sizes.yields());
        }
        try {
            pool.start();
            loading.observer(new Watch(trial.recorder(), crew, submitters)).beside(alone ? 0 : sizes.workers);
            loading.run(submitters, new Receiver[0], graceNanos);
            pool.shutdown();
            check(trial.recorder(), pool, crew, submitters, graceNanos);
        } finally {
            pool.abandon();
        }
        for (int i = 0; i < crew.size(); i++) {
            trial.recorder().pinned(sizes.producers + i, crew.requested(i), crew.observed(i));
        }
    }

    private static void check(Recorder recorder, Pool pool, Crew crew, Submitter[] submitters, long graceNanos) {
        recorder.check("worker threads alive after the shutdown", 0, crew.awaitEnd(graceNanos));
        recorder.check("tasks left in the pool", 0, pool.left());
        recorder.check("worker threads that died and were replaced", 0, Math.max(0, crew.made() - crew.size()));
        crew.rethrow();
        long misused = 0;
        for (Submitter each : submitters) {
            misused += each.misused();
        }
        recorder.check("tasks that ran more than once", 0, misused);
    }

    /** The sizes of a trial as understood; a {@link Failure} of status 2 if they do not go together. */
    private static final class Sizes {
        final int producers;
        final int workers;
        final int window;
        final int spin;
        final boolean fresh;
        private final Trial trial;

        Sizes(Trial trial) {
            Parameters given = trial.parameters();
            this.trial = trial;
            producers = given.getInt("producers");
            workers = given.getInt("workers");
            window = given.getInt("window");
            spin = given.getInt("spin");
            fresh = given.getString("tasks").equals("fresh");
            trial.requireThreads(1, "leave it out: the threads are those of --producers and --workers");
            given.getPowerOfTwo("window");
            if (producers * window > MOST_UNDER_WAY) {
                throw given.refused(
                        "window",
                        "with --producers " + producers + " more than " + MOST_UNDER_WAY
                                + " tasks can be under way; lower either");
            }
            if (workers > 1 && List.of("caller", "single", "virtual").contains(trial.variant())) {
                throw given.refused("workers", trial.variant() + " takes 1: " + whyOne());
            }
        }

        private String whyOne() {
            return switch (trial.variant()) {
                case "caller" -> "each producer runs its own tasks";
                case "single" -> "the executor has a single thread";
                default -> "a virtual thread does not know which carrier it runs on, so theirs could not be told apart";
            };
        }

        /** Whether a producer's tasks run in the order of submission. */
        boolean ordered() {
            return workers == 1 && !List.of("fjp", "virtual").contains(trial.variant());
        }

        /** Room for all tasks that can be under way, a power of two. */
        int slots() {
            return Math.max(SLOTS, 2 * Integer.highestOneBit(producers * window - 1));
        }

        /** Whether threads outnumber CPUs. */
        boolean yields() {
            return producers + workers > trial.usableCpus();
        }

        /** Where the workers belong: after the producers. */
        int[] workerCpus() {
            int[] cpus = trial.cpus();
            int[] theirs = new int[cpus.length == 0 ? 0 : workers];
            Arrays.setAll(theirs, i -> cpus[(producers + i) % cpus.length]);
            return theirs;
        }
    }
}
