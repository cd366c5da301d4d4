package lab.experiments.ipc;

/**
 * What is in a message: an int, the kind; the sequence, from 1 through the whole trial; a time, or 0; and words made of
 * the sequence, five times an odd number each and then the same again up to the end. All are longs and aligned where
 * the record begins with an int at a multiple of 8. They prove that what arrives is what was sent: the last message of
 * an iteration has the sum of all longs of all messages before it in place of a time.
 *
 * <p>Messages of {@link #SMALL} bytes have the low half of the time, and no words.
 */
final class Message {
    /** A kind: there are more to come in this iteration. */
    static final int ONE = 1;
    /** A kind: the iteration is over. */
    static final int LAST = 2;

    /** Bytes of the smallest. */
    static final int SMALL = 16;
    /** Bytes of one with five words; larger ones have whole words more. */
    static final int FIVE_WORDS = 60;

    static final int KIND_AT = 0;
    static final int SEQUENCE_AT = 4;
    static final int TIME_AT = 12;
    static final int WORDS_AT = 20;

    private static final int FIRST = 3;

    private Message() {}

    /** Whether messages may have that size. */
    static boolean possible(int size) {
        return size == SMALL || size >= FIVE_WORDS && (size - FIVE_WORDS) % Long.BYTES == 0;
    }

    /** A word: the sequence times 3, 5, 7, 9, 11, 3, ... */
    static long word(long sequence, int index) {
        return sequence * (FIRST + 2 * (index % 5));
    }
}
