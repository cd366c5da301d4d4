package lab.experiments.queues;

import java.util.ArrayList;
import java.util.List;
import lab.Experiment;
import lab.Failure;
import lab.Parameter;
import lab.Parameters;
import lab.Trial;
import lab.Workers;
import lab.load.Load;
import lab.load.Loading;
import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;
import lab.load.Shape;

/**
 * How many events a second pass from thread to thread, and how long does one take at a given load? Producers send by
 * the schedule of {@link lab.load}, consumers check each event and sample every so many; what differs between variants
 * is the structure between them and how both sides wait for it. At {@code --load 0} producers send as fast as the
 * structure takes it, for the throughput.
 *
 * <p>{@code --threads} must be left out: the topology says how many there are.
 *
 * <p>Run, and expect the median of {@code intended} at {@code --load 80} to be less than twice that at 10:
 * <pre>
 * java -XX:+UseParallelGC -XX:+UseCondCardMark -Xms1g -Xmx1g -Xmn800m -jar harness/java/target/lab-harness.jar queues \
 *     --variant disruptor_spin --load 80 --warmup 20 --iterations 16 --iteration-ms 20 --cpus 0,1 --out /tmp/x.hlog
 * </pre>
 */
public final class Queues implements Experiment {
    private static final int LEAST_SLOTS = 1 << 4;
    private static final int MOST_SLOTS = 1 << 20;
    private static final int MOST_AT_ONCE = 1024;
    /** Defaults. */
    private static final int BATCH = 1;

    private static final int DRAIN = 64;
    private static final int NO_LIMIT = 0;
    private static final int NO_PAUSE = 0;
    private static final int MOST_PAUSE = 1_000_000;

    @Override
    public String name() {
        return "queues";
    }

    @Override
    public List<Variant> variants() {
        return Variant.all(
                name -> name.equals("agrona_ring") ? closed() : "",
                "disruptor_spin",
                "disruptor_yield",
                "disruptor_block",
                "disruptor_sleep",
                "disruptor_lite",
                "disruptor_multi",
                "disruptor_poller",
                "abq_block",
                "abq_spin",
                "abq_drain",
                "lbq_block",
                "ltq_block",
                "clq_spin",
                "jctools_spsc",
                "jctools_mpmc",
                "jctools_drain",
                "agrona_ring",
                "handler",
                "null");
    }

    /** Why this runtime cannot run Agrona; empty where it can. Asked here, so that its classes are not loaded. */
    private static String closed() {
        return Object.class.getModule().isOpen("jdk.internal.misc", Queues.class.getModule())
                ? ""
                : "Agrona needs --add-opens java.base/jdk.internal.misc=ALL-UNNAMED, which java -jar finds in the jar";
    }

    @Override
    public List<Parameter> parameters() {
        List<Parameter> parameters = new ArrayList<>(Load.parameters());
        parameters.add(Parameter.choice("topology", Topology.names()));
        parameters.add(Parameter.ofInt("slots", LEAST_SLOTS, MOST_SLOTS, 1 << 16));
        parameters.add(Parameter.ofInt("batch", 1, MOST_AT_ONCE, BATCH));
        parameters.add(Parameter.ofInt("drain", 1, MOST_AT_ONCE, DRAIN));
        parameters.add(Parameter.ofInt("batch-limit", 0, MOST_SLOTS, NO_LIMIT));
        parameters.add(Parameter.ofInt("pause", 0, MOST_PAUSE, NO_PAUSE));
        parameters.add(Parameter.choice("event", "timed", "long"));
        return parameters;
    }

    @Override
    public void run(Trial trial) {
        Topology topology = Topology.of(trial.parameters().getString("topology"));
        check(trial, topology);
        measure(trial, topology, new Structures(trial.variant(), trial, topology).make(), Workers.GRACE_NANOS);
    }

    private static void check(Trial trial, Topology topology) {
        Parameters given = trial.parameters();
        int slots = given.getPowerOfTwo("slots");
        if (given.getInt("batch") > slots) {
            throw given.refused("batch", "more than --slots " + slots);
        }
        String rings = "only variants disruptor_* take it, but disruptor_poller";
        requireUse(given, "batch", BATCH, Structures.batches(trial.variant()), rings);
        requireUse(given, "batch-limit", NO_LIMIT, Structures.batches(trial.variant()), rings);
        requireUse(given, "drain", DRAIN, Structures.drains(trial.variant()), "only *_drain and agrona_ring take it");
        requireUse(
                given,
                "pause",
                NO_PAUSE,
                Structures.polls(trial.variant()),
                "only *_spin of queues and jctools_* but drain take it");
        if (Structures.bare(trial)
                && (!Structures.takesLongs(trial.variant()) || Load.of(trial).paced())) {
            throw given.refused(
                    "event", "only disruptor_* but poller, abq_block, jctools_spsc and handler take it, at --load 0");
        }
        trial.requireThreads(1, "leave it out: --topology says how many there are");
        if (topology == Topology.ONE_TO_ONE) {
            return;
        }
        String name = given.getString("topology");
        boolean turns = topology == Topology.TWO_TO_ONE && given.getLong("rate") > 0;
        if (topology.threads() > trial.usableCpus() && !turns) {
            throw Failure.unsupported("--topology " + name + ": its " + topology.threads()
                    + " threads need a CPU each, and there are " + trial.usableCpus());
        }
        if (!Structures.takes(trial.variant(), topology)) {
            throw Failure.unsupported("--topology " + name + ": not offered for variant " + trial.variant());
        }
    }

    /** Refuses a value of a parameter that the variant would not look at. */
    private static void requireUse(Parameters given, String name, int fallback, boolean used, String who) {
        if (given.getInt(name) != fallback && !used) {
            throw given.refused(name, who);
        }
    }

    /** Runs the trial on one structure, and checks that it is left empty. */
    static void measure(Trial trial, Topology topology, Structure structure, long graceNanos) {
        Load load = Load.of(trial);
        Shape shape = structure instanceof NullStructure ? new Shape(1, 0, true, true) : topology.shape();
        Loading loading = new Loading(trial, load, shape);
        int slots = trial.parameters().getInt("slots");
        Sender[] senders = new Sender[shape.producers()];
        Receiver[] receivers = new Receiver[structure instanceof HandlerAlone ? 0 : shape.consumers()];
        for (int i = 0; i < senders.length; i++) {
            Sender sender = structure.sender(i);
            senders[i] = Structures.unbounded(trial.variant())
                    ? new Windowed(sender, loading.receipts(0), slots, topology.threads() > trial.usableCpus())
                    : sender;
        }
        for (int i = 0; i < shape.consumers(); i++) {
            Receipts receipts = loading.receipts(i);
            if (Structures.bare(trial)) {
                receipts.addsLongs();
            }
            if (Structures.awake(trial.variant()) && topology.threads() <= trial.usableCpus()) {
                receipts.staysAwake();
            }
            Receiver receiver = structure.receiver(i, receipts);
            if (i < receivers.length) {
                receivers[i] = receiver;
            }
        }
        loading.run(senders, receivers, graceNanos);
        trial.recorder().check("events left in the structure", 0, structure.left());
    }
}
