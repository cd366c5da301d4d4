package lab.experiments.queues;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.LiteBlockingWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.SleepingWaitStrategy;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.function.Supplier;
import lab.Parameters;
import lab.Trial;
import lab.load.Work;
import org.jctools.queues.varhandle.MpmcVarHandleArrayQueue;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;

/** Makes the structure of a variant; classes of a library are loaded only for the variant that is one of its own. */
final class Structures {
    private static final List<String> AWAKE = List.of(
            "disruptor_spin", "disruptor_yield", "disruptor_multi", "disruptor_poller", "agrona_ring", "clq_spin");

    private final String variant;
    private final Topology topology;
    private final int slots;
    private final int claim;
    private final int drain;
    private final int batchLimit;
    private final boolean yields;
    private final int pause;
    private final Supplier<Event> made;

    Structures(String variant, Trial trial, Topology topology) {
        Parameters parameters = trial.parameters();
        this.topology = topology;
        this.variant = variant;
        slots = parameters.getInt("slots");
        claim = parameters.getInt("batch");
        drain = parameters.getInt("drain");
        batchLimit = parameters.getInt("batch-limit");
        yields = topology.threads() > trial.usableCpus();
        pause = parameters.getInt("pause");
        made = bare(trial) ? Event.OfLong::new : Event.Timed::new;
    }

    /** Whether the variant is a ring that all its threads see. */
    private static boolean ring(String variant) {
        return variant.startsWith("disruptor_");
    }

    /** Whether {@code --batch} and {@code --batch-limit} say how it claims events and takes them. */
    static boolean batches(String variant) {
        return ring(variant) && !variant.equals("disruptor_poller");
    }

    /** Whether {@code --drain} says how many events it takes at once, at most. */
    static boolean drains(String variant) {
        return variant.endsWith("_drain") || variant.equals("agrona_ring");
    }

    /** Whether events are of one long, and the handler adds it. */
    static boolean bare(Trial trial) {
        return trial.parameters().getString("event").equals("long");
    }

    /** Whether {@code --event} may be {@code long}: those that are compared with the published tests. */
    static boolean takesLongs(String variant) {
        return batches(variant)
                || List.of("abq_block", "jctools_spsc", "handler").contains(variant);
    }

    /** Whether {@code --pause} says how long the consumer waits after a poll that found nothing. */
    static boolean polls(String variant) {
        return List.of("abq_spin", "clq_spin", "jctools_spsc", "jctools_mpmc").contains(variant);
    }

    /**
     * Whether a consumer with a CPU of its own never sleeps. Who polls a queue with a lock does, as does its producer.
     */
    static boolean awake(String variant) {
        return variant.startsWith("jctools_") || AWAKE.contains(variant);
    }

    /** Whether the queue has no bound of its own. */
    static boolean unbounded(String variant) {
        return variant.equals("ltq_block") || variant.equals("clq_spin");
    }

    /** Whether the variant exists in that topology. */
    static boolean takes(String variant, Topology topology) {
        if (topology == Topology.ONE_TO_ONE) {
            return true;
        }
        if (List.of("null", "handler", "disruptor_poller").contains(variant)) {
            return false;
        }
        return topology == Topology.DIAMOND ? ring(variant) : !unbounded(variant);
    }

    Structure make() {
        if (ring(variant) || variant.equals("null") || variant.equals("handler") || topology.consumers == 1) {
            return one();
        }
        return new Composed(topology, this::one);
    }

    private Structure one() {
        return switch (variant) {
            case "abq_block" -> new BlockingStructure(new ArrayBlockingQueue<>(slots), slots, made);
            case "lbq_block" -> new BlockingStructure(new LinkedBlockingQueue<>(slots), slots, made);
            case "ltq_block" -> new BlockingStructure(new LinkedTransferQueue<>(), slots, made);
            case "abq_drain" -> new DrainingStructure(new ArrayBlockingQueue<>(slots), slots, drain);
            case "abq_spin" -> polling(new ArrayBlockingQueue<>(slots));
            case "clq_spin" -> polling(new ConcurrentLinkedQueue<>());
            case "jctools_spsc" -> polling(Jctools.queue(slots, topology.producers));
            case "jctools_mpmc" -> polling(Jctools.forMany(slots));
            case "jctools_drain" -> Jctools.draining(slots, topology.producers, drain, yields);
            case "agrona_ring" -> new AgronaStructure(slots, topology.producers, drain, yields);
            case "null" -> new NullStructure();
            case "handler" -> new HandlerAlone(made);
            case "disruptor_poller" ->
                new PollerStructure(Disruptors.ring(true, slots, made, Disruptors.waiting(variant, yields)), yields);
            default ->
                new DisruptorStructure(
                        Disruptors.ring(
                                topology.producers == 1 && !variant.equals("disruptor_multi"),
                                slots,
                                made,
                                Disruptors.waiting(variant, yields)),
                        topology,
                        claim,
                        batchLimit);
        };
    }

    private Structure polling(Queue<Event> queue) {
        Work pauses = pause == 0 ? null : new Work(pause / Work.stepNanos(), false, 0);
        return new PollingStructure(queue, slots, yields, made, pauses);
    }

    /** Rings of the Disruptor. */
    private static final class Disruptors {
        static RingBuffer<Event> ring(boolean singleProducer, int slots, Supplier<Event> made, WaitStrategy waiting) {
            return singleProducer
                    ? RingBuffer.createSingleProducer(made::get, slots, waiting)
                    : RingBuffer.createMultiProducer(made::get, slots, waiting);
        }

        static WaitStrategy waiting(String variant, boolean yields) {
            return switch (variant) {
                case "disruptor_block" -> new BlockingWaitStrategy();
                case "disruptor_sleep" -> new SleepingWaitStrategy();
                case "disruptor_lite" -> new LiteBlockingWaitStrategy();
                // Where threads outnumber CPUs a spinning consumer keeps the CPU that its producer needs.
                case "disruptor_spin" -> yields ? new YieldingWaitStrategy() : new BusySpinWaitStrategy();
                default -> new YieldingWaitStrategy();
            };
        }
    }

    /** Queues of JCTools. */
    private static final class Jctools {
        static Queue<Event> queue(int slots, int producers) {
            return producers == 1 ? new SpscVarHandleArrayQueue<>(slots) : new MpscVarHandleArrayQueue<>(slots);
        }

        static Queue<Event> forMany(int slots) {
            return new MpmcVarHandleArrayQueue<>(slots);
        }

        static Structure draining(int slots, int producers, int most, boolean yields) {
            return producers == 1
                    ? new RelaxedStructure(new SpscVarHandleArrayQueue<>(slots), slots, most, yields)
                    : new RelaxedStructure(new MpscVarHandleArrayQueue<>(slots), slots, most, yields);
        }
    }
}
