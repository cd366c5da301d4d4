package lab.experiments.queues;

import java.nio.ByteBuffer;
import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/** Agrona's ring of bytes outside the heap: an event is copied in, and read where it lies; both sides spin. */
final class AgronaStructure implements Structure {
    private static final int EVENT_BYTES = 3 * Long.BYTES;
    /** With the record's header of 8 bytes. */
    private static final int SLOT_BYTES = 32;

    private static final int TYPE = 1;

    private final RingBuffer ring;
    private final int most;
    private final boolean yields;

    /**
     * @param slots     events that the ring holds
     * @param producers how many threads write
     * @param most      events read at once, at most: the room that they leave is free only then
     */
    AgronaStructure(int slots, int producers, int most, boolean yields) {
        UnsafeBuffer memory =
                new UnsafeBuffer(ByteBuffer.allocateDirect(slots * SLOT_BYTES + RingBufferDescriptor.TRAILER_LENGTH));
        ring = producers == 1 ? new OneToOneRingBuffer(memory) : new ManyToOneRingBuffer(memory);
        this.most = most;
        this.yields = yields;
    }

    @Override
    public Sender sender(int producer) {
        return new Writing(ring, yields);
    }

    @Override
    public Receiver receiver(int consumer, Receipts receipts) {
        return new Reading(ring, most, receipts, yields);
    }

    @Override
    public long left() {
        return ring.size();
    }

    private static final class Writing extends Offering {
        private final RingBuffer ring;
        private final UnsafeBuffer event = new UnsafeBuffer(ByteBuffer.allocateDirect(EVENT_BYTES));

        Writing(RingBuffer ring, boolean yields) {
            super(yields);
            this.ring = ring;
        }

        @Override
        public void send(long number, long due, long sent) {
            event.putLong(0, number);
            event.putLong(Long.BYTES, due);
            event.putLong(2 * Long.BYTES, sent);
            for (int attempts = 0; !ring.write(TYPE, event, 0, EVENT_BYTES); attempts++) {
                refused(attempts, due);
            }
        }
    }

    private static final class Reading extends Batching implements MessageHandler {
        private final RingBuffer ring;
        private final int most;

        Reading(RingBuffer ring, int most, Receipts receipts, boolean yields) {
            super(receipts, yields);
            this.ring = ring;
            this.most = most;
        }

        @Override
        int take() {
            return ring.read(this, most);
        }

        /** A batch also ends where the memory does. */
        @Override
        boolean none(int taken) {
            return taken < most && ring.size() == 0;
        }

        @Override
        public void onMessage(int type, MutableDirectBuffer buffer, int index, int length) {
            DirectBuffer event = buffer;
            on(event.getLong(index), event.getLong(index + Long.BYTES), event.getLong(index + 2 * Long.BYTES));
        }
    }
}
