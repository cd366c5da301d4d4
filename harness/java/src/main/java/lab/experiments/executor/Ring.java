package lab.experiments.executor;

import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.YieldingWaitStrategy;

/**
 * A pool on the Disruptor, which has had no pool of its own since version 4: producers publish tasks on a ring, and
 * every worker has a sequence that tells how far it is. Workers spin; where threads outnumber CPUs they yield.
 * They end on an end mark that comes through the ring, each by itself: a processor halted from outside before it runs
 * would never run.
 */
abstract class Ring implements Pool {
    /** Carries a task; the object stays in the ring. */
    static final class Slot {
        Task task;
    }

    /** Published after the last task: the workers end. */
    private static final Task END = new Task(null);

    final Crew crew;
    final RingBuffer<Slot> ring;
    final SequenceBarrier barrier;

    /**
     * @param slots  room in the ring, for every task that can be under way
     * @param yields whether an idle worker gives its CPU away
     */
    Ring(Crew crew, int slots, boolean yields) {
        this.crew = crew;
        ring = RingBuffer.createMultiProducer(
                Slot::new, slots, yields ? new YieldingWaitStrategy() : new BusySpinWaitStrategy());
        barrier = ring.newBarrier();
    }

    /** The sequences that a slot waits for before it is used again. */
    abstract Sequence[] gates();

    /** A worker's life: returns on its end mark. */
    abstract void live(int number);

    /** How many end marks it takes. */
    abstract int endMarks();

    @Override
    public final void start() {
        ring.addGatingSequences(gates());
        crew.start(this::live);
    }

    @Override
    public final void execute(Task task) {
        long sequence = ring.next();
        ring.get(sequence).task = task;
        ring.publish(sequence);
    }

    static boolean ends(Task task) {
        return task == END;
    }

    @Override
    public final void shutdown() {
        for (int i = 0; i < endMarks(); i++) {
            execute(END);
        }
    }

    /** Slots that not every worker has passed. */
    @Override
    public final int left() {
        return (int) (ring.getBufferSize() - ring.remainingCapacity());
    }
}
