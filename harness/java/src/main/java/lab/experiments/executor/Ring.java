package lab.experiments.executor;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.TimeoutException;
import com.lmax.disruptor.YieldingWaitStrategy;
import lab.experiments.Rethrow;

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

    /** Workers claim one slot after the other from a sequence they share, so that each task goes to whoever is free. */
    static final class Shared extends Ring {
        /** The last slot claimed by anyone. */
        private final Sequence claimed = new Sequence();
        /** The slot each worker has done last, or all before the one it waits for. */
        private final Sequence[] done;

        Shared(Crew crew, int slots, boolean yields) {
            super(crew, slots, yields);
            done = new Sequence[crew.size()];
            for (int i = 0; i < done.length; i++) {
                done[i] = new Sequence();
            }
        }

        @Override
        Sequence[] gates() {
            Sequence[] gates = new Sequence[done.length + 1];
            System.arraycopy(done, 0, gates, 0, done.length);
            gates[done.length] = claimed;
            return gates;
        }

        /**
         * Before a worker claims slot n it says that it is done with n - 1, for otherwise there would be
         * a moment in which neither gate holds n back.
         */
        @Override
        void live(int number) {
            Sequence mine = done[number];
            long available = -1;
            try {
                while (true) {
                    long next;
                    do {
                        next = claimed.get() + 1;
                        mine.set(next - 1);
                    } while (!claimed.compareAndSet(next - 1, next));
                    while (available < next) {
                        available = barrier.waitFor(next);
                    }
                    Task task = ring.get(next).task;
                    if (ends(task)) {
                        mine.set(Long.MAX_VALUE);
                        return;
                    }
                    task.run();
                }
            } catch (AlertException abandoned) {
                return;
            } catch (InterruptedException | TimeoutException e) {
                throw new IllegalStateException("nobody interrupts a worker, and no wait has a limit", e);
            }
        }

        /** Each takes one. */
        @Override
        int endMarks() {
            return crew.size();
        }

        @Override
        public void abandon() {
            barrier.alert();
        }
    }

    /**
     * Every worker sees every slot, and runs the task of those whose sequence modulo the number of workers is its own:
     * what LMAX recommends for tiny tasks, since nobody claims anything. A slow task delays those of its own worker
     * only.
     */
    static final class Striped extends Ring {
        private final Stripe[] stripes;

        Striped(Crew crew, int slots, boolean yields) {
            super(crew, slots, yields);
            stripes = new Stripe[crew.size()];
            for (int i = 0; i < stripes.length; i++) {
                stripes[i] = new Stripe(i, stripes.length);
                stripes[i].processor = new BatchEventProcessorBuilder().build(ring, barrier, stripes[i]);
                stripes[i].processor.setExceptionHandler(new Rethrow<>());
            }
        }

        @Override
        Sequence[] gates() {
            Sequence[] gates = new Sequence[stripes.length];
            for (int i = 0; i < gates.length; i++) {
                gates[i] = stripes[i].processor.getSequence();
            }
            return gates;
        }

        @Override
        void live(int number) {
            stripes[number].processor.run();
        }

        /** All see it. */
        @Override
        int endMarks() {
            return 1;
        }

        @Override
        public void abandon() {
            for (Stripe stripe : stripes) {
                stripe.processor.halt();
            }
        }

        /** One worker's share of the ring. */
        private static final class Stripe implements EventHandler<Slot> {
            private final int number;
            private final int workers;
            private BatchEventProcessor<Slot> processor;

            Stripe(int number, int workers) {
                this.number = number;
                this.workers = workers;
            }

            @Override
            public void onEvent(Slot slot, long sequence, boolean endOfBatch) {
                Task task = slot.task;
                if (ends(task)) {
                    processor.halt();
                } else if (sequence % workers == number) {
                    task.run();
                }
            }
        }
    }
}
