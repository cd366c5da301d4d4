package lab.experiments.sharing;

import java.util.Map;
import lab.Workers;

/**
 * The hot loop of one variant: every thread writes its own word and no other, counting down. Each has a loop of its
 * own, written out: a shared loop would write through one call site that sees several kinds of word. The batch is a
 * method of its own: inside the loop that reads the clock, C2 leaves the checks of an array access in the batch, four
 * times the cost of a release store.
 */
abstract class WordsKernel implements Workers.Body {
    /** Writes between two reads of the clock; the time they take together is one sample. */
    static final int BATCH = 4096;

    /**
     * What the word of a thread holds before its first write. The bits from 48 upwards are the writer's signature, for
     * no thread writes 2^48 times: a word that somebody else wrote shows it.
     */
    static long start(int thread) {
        return (thread + 1L) << 48;
    }

    /** What the word of a thread holds now; for use between iterations. */
    abstract long word(int thread);

    /** Whether a thread writes its word; one that does not, reads it. */
    boolean writes(int thread) {
        return true;
    }

    /** Reads that saw another value than their own thread's word has; once the workers have ended. */
    long strange() {
        return 0;
    }

    /**
     * Where the words are: address in bytes, by thread, on a scale whose origin is a multiple of 4096; null where the
     * virtual machine does not tell. Objects may move, so it is asked again after every iteration.
     */
    abstract long[] addresses();

    /** Offset in bytes within its object of every declared field, by name; empty where there is nothing to tell. */
    Map<String, Long> offsets() {
        return Map.of();
    }
}
