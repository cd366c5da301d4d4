package lab.experiments.ipc;

import lab.Failure;
import lab.Recorder;
import lab.Series;

/** Reads the messages of one direction, all of their bytes, and finds out whether they are what was sent. */
final class Incoming {
    private final int size;
    /** Clock to clock, of messages that carry a time; null: none does. */
    private final Series transit;

    private long sequence;
    private long sum;
    private int kind;

    private long disorder;
    /** Iterations in which the sums of both ends differ. */
    private long differing;

    private long early;
    private long sampledFrom;
    private long sampledAt;

    Incoming(int size, Series transit) {
        this.size = size;
        this.transit = transit;
    }

    /** The sequence of the message last taken. */
    long sequence() {
        return sequence;
    }

    /** The kind of the message last taken. */
    int kind() {
        return kind;
    }

    /** Whether the message last taken was the last of the iteration. */
    boolean last() {
        return kind == Message.LAST;
    }

    /**
     * Takes the next message.
     *
     * @param length what came with it
     * @return whether its transit was a sample
     */
    boolean take(Memory memory, int at, int length) {
        if (length != size) {
            throw Failure.check("a message of " + length + " bytes came; give both parts --size " + size);
        }
        int kind = memory.getInt(at + Message.KIND_AT);
        long n = memory.getLong(at + Message.SEQUENCE_AT);
        if (n != sequence + 1) {
            disorder++;
        }
        this.kind = kind;
        sequence = n;
        if (size == Message.SMALL) {
            int half = memory.getInt(at + Message.TIME_AT);
            return carried(half, (int) sum, n + half);
        }
        int words = at + Message.WORDS_AT;
        long time = memory.getLong(at + Message.TIME_AT);
        long total = n
                + time
                + memory.getLong(words)
                + memory.getLong(words + 8)
                + memory.getLong(words + 16)
                + memory.getLong(words + 24)
                + memory.getLong(words + 32);
        if (size > Message.FIVE_WORDS) {
            total += more(memory, words);
        }
        return carried(time, sum, total);
    }

    /** What came as the time, and the sum of the longs before and in this message. */
    private boolean carried(long time, long before, long total) {
        sum += total;
        if (kind != Message.ONE) {
            ended(time == before);
            return false;
        }
        return time != 0 && transit != null && sample(time);
    }

    /** The words from the sixth on. */
    private long more(Memory memory, int words) {
        int end = words + size - Message.WORDS_AT;
        long total = 0;
        for (int at = words + 5 * Long.BYTES; at < end; at += Long.BYTES) {
            total += memory.getLong(at);
        }
        return total;
    }

    private boolean sample(long time) {
        sampledFrom = time;
        sampledAt = System.nanoTime();
        long nanos = sampledAt - time;
        if (nanos < 0) {
            early++;
            return false;
        }
        transit.add(nanos);
        return true;
    }

    private void ended(boolean equal) {
        if (kind != Message.LAST) {
            disorder++;
        } else if (!equal) {
            differing++;
        }
    }

    /** When the message was sent whose transit was sampled last, as it says. */
    long sampledFrom() {
        return sampledFrom;
    }

    /** When the message was taken whose transit was sampled last, as {@link System#nanoTime()} gave it. */
    long sampledAt() {
        return sampledAt;
    }

    /**
     * Leaves the checks.
     *
     * @param received messages that were taken, counted on their own
     */
    void check(Recorder recorder, long received) {
        recorder.check("messages received equal messages sent", sequence, received);
        recorder.check("messages lost, repeated or out of order", 0, disorder);
        recorder.check("iterations in which other words were read than written", 0, differing);
        if (transit != null) {
            recorder.check("messages that arrived before they were sent", 0, early);
        }
    }
}
