package lab.experiments.ipc;

/** Writes the messages of one direction, in order. */
final class Outgoing {
    /** Bytes of a message. */
    final int size;

    private long sequence;
    private long sum;

    /** @param size of a message, one that is {@link Message#possible} */
    Outgoing(int size) {
        this.size = size;
    }

    /** Messages so far. */
    long sequence() {
        return sequence;
    }

    /**
     * Writes the next message, all of its bytes.
     *
     * @param kind {@link Message#ONE} or {@link Message#LAST}
     * @param time for the receiver to compare its own with, or 0; the last has a sum in its place
     */
    void write(Memory memory, int at, int kind, long time) {
        long n = ++sequence;
        long carried = kind == Message.LAST ? sum : time;
        memory.putInt(at + Message.KIND_AT, kind);
        memory.putLong(at + Message.SEQUENCE_AT, n);
        if (size == Message.SMALL) {
            memory.putInt(at + Message.TIME_AT, (int) carried);
            sum += n + (int) carried;
            return;
        }
        int words = at + Message.WORDS_AT;
        memory.putLong(at + Message.TIME_AT, carried);
        memory.putLong(words, n * 3);
        memory.putLong(words + 8, n * 5);
        memory.putLong(words + 16, n * 7);
        memory.putLong(words + 24, n * 9);
        memory.putLong(words + 32, n * 11);
        sum += carried + n * (1 + 3 + 5 + 7 + 9 + 11);
        if (size > Message.FIVE_WORDS) {
            sum += writeMore(memory, words, n);
        }
    }

    /** The words from the sixth on, in fives and then those that are left; their sum. */
    private long writeMore(Memory memory, int words, long n) {
        int at = words + 5 * Long.BYTES;
        int end = words + size - Message.WORDS_AT;
        long total = 0;
        for (; at + 5 * Long.BYTES <= end; at += 5 * Long.BYTES) {
            memory.putLong(at, n * 3);
            memory.putLong(at + 8, n * 5);
            memory.putLong(at + 16, n * 7);
            memory.putLong(at + 24, n * 9);
            memory.putLong(at + 32, n * 11);
            total += n * (3 + 5 + 7 + 9 + 11);
        }
        for (int index = 0; at < end; index++, at += Long.BYTES) {
            long word = Message.word(n, index);
            memory.putLong(at, word);
            total += word;
        }
        return total;
    }
}
