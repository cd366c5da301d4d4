package lab.experiments.ipc;

import java.lang.invoke.VarHandle;
import lab.Failure;

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

    final Memory.Shared memory;
    final int capacity;

    Ring(Memory.Shared memory, int capacity) {
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

    /** The side of a {@link Ring} that offers: claims room, lets the caller write the payload in place, and commits. */
    static final class Producer {
        /** There is no room. */
        static final int FULL = -1;
        /** The int of the next record is written with each, so that whoever polls there finds 0. */
        private static final int NEXT = 8;

        private final Ring ring;
        private final Memory.Shared memory;
        private final int capacity;
        private long tail;
        /** The consumer's head when last looked at: each look brings its cache line here. */
        private long head;

        private int length;

        /** Goes on where the producer before it ended, even one killed in the middle of a message. */
        Producer(Ring ring) {
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

    /** The side of a {@link Ring} that polls: the payload is used in place, then released. */
    static final class Consumer {
        /** There is no message. */
        static final int EMPTY = -1;

        private final Ring ring;
        private final Memory.Shared memory;
        private final int most;
        private long head;
        private int length;

        /** Goes on where the consumer before it ended: what that one polled and did not release comes again. */
        Consumer(Ring ring) {
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

    /**
     * By which the producer of a {@link Ring} wakes a consumer that sleeps: a word of the header, 1 while it sleeps or
     * is about to, and the kernel's futex on it. A consumer says so first and then looks once more; a producer that has
     * committed looks afterwards whether one sleeps. Between the two steps of either is a full fence, so at least one
     * sees what the other has done, and no message waits for one that sleeps.
     */
    static final class Bell {
        static final int ASLEEP_AT = 384;

        private final BufferMemory memory;

        Bell(BufferMemory memory) {
            this.memory = memory;
        }

        /** By a producer that begins: the one before it may have been killed on its way to do so. */
        void rouse() {
            memory.getAndSetInt(ASLEEP_AT, 0);
            memory.wake(ASLEEP_AT);
        }

        /** By the producer, after a commit. */
        void wake() {
            VarHandle.fullFence();
            if (memory.getInt(ASLEEP_AT) != 0 && memory.getAndSetInt(ASLEEP_AT, 0) != 0) {
                memory.wake(ASLEEP_AT);
            }
        }

        /** By the consumer of a ring that it found empty: it has to look once more, and then to sleep or to stay. */
        void announce() {
            memory.putInt(ASLEEP_AT, 1);
            VarHandle.fullFence();
        }

        /** By the consumer, which has found something after all. */
        void stay() {
            memory.putInt(ASLEEP_AT, 0);
        }

        /**
         * By the consumer: sleeps until a producer wakes it, and at most so long: the producer may be dead.
         *
         * @return whether nobody has, so that it has to sleep on: a message that is there all the same is one that was
         *                 lost
         */
        boolean sleep(long mostNanos) {
            memory.sleep(ASLEEP_AT, 1, mostNanos);
            return memory.getIntAcquire(ASLEEP_AT) != 0;
        }
    }
}
