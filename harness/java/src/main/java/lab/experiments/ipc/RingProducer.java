package lab.experiments.ipc;

/** The side of a {@link Ring} that offers: claims room, lets the caller write the payload in place, and commits. */
final class RingProducer {
    /** There is no room. */
    static final int FULL = -1;
    /** The int of the next record is written with each, so that whoever polls there finds 0. */
    private static final int NEXT = 8;

    private final Ring ring;
    private final SharedMemory memory;
    private final int capacity;
    private long tail;
    /** The consumer's head when last looked at: each look brings its cache line here. */
    private long head;

    private int length;

    /** Goes on where the producer before it ended, even one killed in the middle of a message. */
    RingProducer(Ring ring) {
        this.ring = ring;
        memory = ring.memory;
        capacity = ring.capacity;
        tail = ring.committed();
        memory.putLongOpaque(Ring.TAIL_AT, tail);
        head = ring.head();
    }

    /**
     * Room for a message.
     *
     * @param length of the payload, 1 to {@link Ring#most}
     * @return where in the memory it belongs, or {@link #FULL}
     */
    int claim(int length) {
        int record = Ring.record(length);
        int at = (int) tail & (capacity - 1);
        int rest = capacity - at;
        boolean fits = record <= rest;
        int need = (fits ? record : rest + record) + NEXT;
        if (need > capacity - (tail - head)) {
            head = ring.head();
            if (need > capacity - (tail - head)) {
                return FULL;
            }
        }
        this.length = length;
        if (!fits) {
            memory.putInt(Ring.HEADER, 0);
            memory.putIntRelease(Ring.HEADER + at, -rest);
            tail += rest;
            at = 0;
        }
        return Ring.HEADER + at + Integer.BYTES;
    }

    /** Of a ring that was full: whether a quarter of it is free by now, and so room for any message. */
    boolean roomy() {
        head = ring.head();
        return tail - head <= capacity - capacity / 4;
    }

    /** Makes the message of the last claim one that can be polled. */
    void commit() {
        int at = ring.at(tail);
        tail += Ring.record(length);
        memory.putInt(ring.at(tail), 0);
        memory.putIntRelease(at, length);
        // For a producer that comes after this one; nobody waits for it.
        memory.putLongOpaque(Ring.TAIL_AT, tail);
    }

    /** Whether all that was offered has been taken. */
    boolean drained() {
        return ring.head() == tail;
    }
}
