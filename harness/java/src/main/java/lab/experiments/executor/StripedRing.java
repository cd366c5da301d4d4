package lab.experiments.executor;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.Sequence;
import lab.experiments.Rethrow;

/**
 * Every worker sees every slot, and runs the task of those whose sequence modulo the number of workers is its own: what
 * LMAX recommends for tiny tasks, since nobody claims anything. A slow task delays those of its own worker only.
 */
final class StripedRing extends Ring {
    private final Stripe[] stripes;

    StripedRing(Crew crew, int slots, boolean yields) {
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
