package lab.experiments.ipc;

import lab.Failure;

/** The side of a {@link Ring} that polls: the payload is used in place, then released. */
final class RingConsumer {
    /** There is no message. */
    static final int EMPTY = -1;

    private final Ring ring;
    private final SharedMemory memory;
    private final int most;
    private long head;
    private int length;

    /** Goes on where the consumer before it ended: what that one polled and did not release comes again. */
    RingConsumer(Ring ring) {
        this.ring = ring;
        memory = ring.memory;
        most = Ring.most(ring.capacity);
        head = ring.head();
    }

    /** Where in the memory the payload of the next message is, or {@link #EMPTY}. */
    int poll() {
        while (true) {
            int at = ring.at(head);
            int length = memory.getIntAcquire(at);
            if (length == 0) {
                return EMPTY;
            }
            if (length > 0 && length <= most) {
                this.length = length;
                return at + Integer.BYTES;
            }
            skip(length);
        }
    }

    private void skip(int length) {
        if (-length != ring.capacity - ((int) head & (ring.capacity - 1))) {
            throw Failure.check(
                    "the ring holds " + length + " at position " + head + ", which is no length of a record");
        }
        head -= length;
    }

    /** Bytes of the payload last polled. */
    int length() {
        return length;
    }

    /** Gives the room of the message last polled back. */
    void release() {
        head += Ring.record(length);
        memory.putLongRelease(Ring.HEAD_AT, head);
    }

    /** Messages behind the one last polled, all of its length; the producer may not have told of the last one. */
    double behind() {
        int record = Ring.record(length);
        return Math.max(0, ring.tail() - head - record) / (double) record;
    }

    /** Whether all that was offered has been taken. */
    boolean drained() {
        return ring.tail() == head;
    }
}
