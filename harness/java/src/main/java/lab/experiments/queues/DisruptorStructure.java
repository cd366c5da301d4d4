package lab.experiments.queues;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import lab.experiments.Rethrow;
import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;

/**
 * The Disruptor, without its own threads: a ring, and on each consumer's worker a processor that runs for one iteration
 * and that its own handler halts. Halting it from outside before it runs would leave it halted.
 */
final class DisruptorStructure implements Structure {
    private final RingBuffer<Event> ring;
    private final Topology topology;
    private final int claim;
    private final int batchLimit;
    private final List<Sequence> consumers = new ArrayList<>();

    /**
     * @param topology   which consumers come after which
     * @param claim      events per claim of the producer
     * @param batchLimit most events of one batch of the consumer; 0: no limit
     */
    DisruptorStructure(RingBuffer<Event> ring, Topology topology, int claim, int batchLimit) {
        this.ring = ring;
        this.topology = topology;
        this.claim = claim;
        this.batchLimit = batchLimit;
    }

    @Override
    public Sender sender(int producer) {
        return claim == 1 ? new Claiming(ring) : new ClaimingMany(ring, claim);
    }

    @Override
    public Receiver receiver(int consumer, Receipts receipts) {
        Handler handler = new Handler(ring, receipts);
        BatchEventProcessorBuilder builder = new BatchEventProcessorBuilder();
        if (batchLimit > 0) {
            builder.setMaxBatchSize(batchLimit);
        }
        int[] before = topology.before(consumer);
        Sequence[] sequences = new Sequence[before.length];
        Arrays.setAll(sequences, i -> consumers.get(before[i]));
        BatchEventProcessor<Event> processor = builder.build(ring, ring.newBarrier(sequences), handler);
        processor.setExceptionHandler(new Rethrow<>());
        handler.processor = processor;
        consumers.add(processor.getSequence());
        if (topology.last(consumer)) {
            ring.addGatingSequences(processor.getSequence());
        }
        return new Processing(ring, processor);
    }

    @Override
    public long left() {
        return ring.getCursor() - ring.getMinimumGatingSequence();
    }

    /** Runs the processor for an iteration. */
    private record Processing(RingBuffer<Event> ring, BatchEventProcessor<Event> processor) implements Receiver {
        @Override
        public void receive() {
            processor.run();
        }

        /** Neither a consumer that spins nor a producer before a full ring looks whether it is interrupted. */
        @Override
        public void abandon() {
            processor.halt();
            ring.removeGatingSequence(processor.getSequence());
        }
    }

    /** Handles each event, and tells where batches begin and end. */
    private static final class Handler implements EventHandler<Event> {
        private final RingBuffer<Event> ring;
        private final Receipts receipts;
        private BatchEventProcessor<Event> processor;
        private long batch;

        Handler(RingBuffer<Event> ring, Receipts receipts) {
            this.ring = ring;
            this.receipts = receipts;
        }

        @Override
        public void onBatchStart(long batchSize, long queueDepth) {
            batch = batchSize;
            receipts.batchBegins();
        }

        @Override
        public void onEvent(Event event, long sequence, boolean endOfBatch) {
            if (event.number != ClaimingMany.NOTHING && receipts.on(event.number, event.due(), event.sent())) {
                processor.halt();
            }
            if (endOfBatch) {
                receipts.batchEnds(batch, ring.getCursor() == sequence);
            }
        }
    }

    /** Claims a slot, writes it, publishes it. */
    static final class Claiming implements Sender {
        private final RingBuffer<Event> ring;
        private long full;

        Claiming(RingBuffer<Event> ring) {
            this.ring = ring;
        }

        @Override
        public void send(long number, long due, long sent) {
            if (due >= 0 && !ring.hasAvailableCapacity(1)) {
                full++;
            }
            long sequence = ring.next();
            ring.get(sequence).set(number, due, sent);
            ring.publish(sequence);
        }

        @Override
        public long full() {
            return full;
        }
    }

    /** Claims several slots at once, and publishes them once all are written. */
    static final class ClaimingMany implements Sender {
        /** The number of a slot that was claimed and for which there was no event any more. */
        static final long NOTHING = -2;

        private final RingBuffer<Event> ring;
        private final int claim;
        private long first;
        private long next;
        private long last = -1;

        ClaimingMany(RingBuffer<Event> ring, int claim) {
            this.ring = ring;
            this.claim = claim;
        }

        @Override
        public void send(long number, long due, long sent) {
            if (number == END) {
                fill();
                claim(1);
            } else if (next > last) {
                claim(claim);
            }
            write(number, due, sent);
        }

        private void claim(int slots) {
            last = ring.next(slots);
            first = last - slots + 1;
            next = first;
        }

        private void write(long number, long due, long sent) {
            ring.get(next).set(number, due, sent);
            if (next == last) {
                ring.publish(first, last);
            }
            next++;
        }

        private void fill() {
            while (next <= last) {
                write(NOTHING, -1, -1);
            }
        }
    }
}
