package lab.experiments.ipc;

/**
 * A ring of messages in memory that two processes share: the layout of its file, version 1 (docs/formats.md). One
 * process offers, one polls. Positions count up for ever; a record is at its position modulo the capacity.
 *
 * <p>A record is an int and the payload, at a multiple of 8. Its int is 0 until all of the record is there, then the
 * length of the payload; negative, it is the length of a gap up to the end of the ring. So a message of 60 bytes is one
 * cache line, and one transfer brings it with the word that says that it has come.
 */
final class Ring {
    static final int HEADER = 4096;
    static final int TAIL_AT = 128;
    static final int HEAD_AT = 256;
    static final int LEAST_CAPACITY = 4096;
    /** Of what a ByteBuffer can hold with the header. */
    static final int MOST_CAPACITY = 1 << 30;

    private static final int ALIGNMENT = 8;

    final SharedMemory memory;
    final int capacity;

    Ring(SharedMemory memory, int capacity) {
        this.memory = memory;
        this.capacity = capacity;
    }

    /** Bytes that a message of so many takes. */
    static int record(int length) {
        return aligned(Integer.BYTES + length);
    }

    private static int aligned(int bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** The longest message. */
    static int most(int capacity) {
        return capacity / 8 - 8;
    }

    /** Where a position is in the memory. */
    int at(long position) {
        return HEADER + ((int) position & (capacity - 1));
    }

    /** Up to where messages were taken, as the consumer has told. */
    long head() {
        return memory.getLongAcquire(HEAD_AT);
    }

    /** Up to where messages are, as the producer has told: it may have been killed before it told of the last one. */
    long tail() {
        return memory.getLongOpaque(TAIL_AT);
    }

    /** Up to where messages are: beyond what was told of a record is one more if its int is not 0. */
    long committed() {
        long first = tail();
        long position = first;
        while (position - first <= capacity) {
            int length = memory.getIntAcquire(at(position));
            if (length == 0) {
                break;
            }
            position += length > 0 ? record(length) : aligned(-length);
        }
        return position;
    }
}
