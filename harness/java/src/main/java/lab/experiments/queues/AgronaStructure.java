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
    private static final int READS = 64;

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
        UnsafeBuffer event = new UnsafeBuffer(ByteBuffer.allocateDirect(EVENT_BYTES));
        return (number, due, sent) -> {
            event.putLong(0, number);
            event.putLong(Long.BYTES, due);
            event.putLong(2 * Long.BYTES, sent);
            for (int attempts = 0; !ring.write(TYPE, event, 0, EVENT_BYTES); attempts++) {
                Pause.after(attempts, yields);
            }
        };
    }

    @Override
    public Receiver receiver(int consumer, Receipts receipts) {
        Reading reading = new Reading(receipts);
        return () -> {
            reading.over = false;
            while (!read(reading)) {
                continue;
            }
        };
    }

    private boolean read(Reading reading) {
        for (int i = 0; i < READS && !reading.over; i++) {
            reading.receipts.batchBegins();
            int read = ring.read(reading, most);
            // A batch also ends where the memory does.
            reading.receipts.batchEnds(read, read < most && ring.size() == 0);
            if (read == 0) {
                reading.receipts.failedPoll();
                Pause.after(reading.failed++, yields);
            } else {
                reading.failed = 0;
            }
        }
        return reading.over;
    }

    @Override
    public long left() {
        return ring.size();
    }

    private static final class Reading implements MessageHandler {
        private final Receipts receipts;
        private int failed;
        private boolean over;

        Reading(Receipts receipts) {
            this.receipts = receipts;
        }

        @Override
        public void onMessage(int type, MutableDirectBuffer buffer, int index, int length) {
            DirectBuffer event = buffer;
            over |= receipts.on(
                    event.getLong(index), event.getLong(index + Long.BYTES), event.getLong(index + 2 * Long.BYTES));
        }
    }
}
