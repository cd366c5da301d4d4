package lab.experiments.locks;

import java.util.Arrays;

/**
 * The log of one thread: when it became the owner of the lock, and at which count.
 *
 * <p>A thread that enters and finds the count where its own last operation left it has owned the lock since then; else
 * others have been in, and it reads the clock. So one reading is paid for each change of owner, inside the lock, where
 * it keeps the others waiting for 20 ns and decides nothing about who is next. (A reading before the acquire would give
 * the lock away: who was timed so waited nearly always.) No word of it is shared: a common log would move one more line
 * at each change, and which run was whose follows from the counts.
 *
 * <p>Where a run ends is known to nobody while it does. The reading at the end of a chunk, which the deadline needs
 * anyway, is kept as a mark: from the last one on the operations are counted, not timed.
 *
 * <p>What was logged stays where it is until the trial is over: sorting and adding it up between two iterations changed
 * the next one (locks of the JDK did up to twice as many operations in it).
 */
final class OwnerLog extends OwnerLogFields {
    private static final int WORDS = 2;
    /** Keeps the words away from those of another thread's log that is laid out after them. */
    private static final int MARGIN = 16;

    private static final int BITS = 32;
    private static final int TRAINING = 200_000;

    private final long[] words;
    private final int capacity;

    long after0, after1, after2, after3, after4, after5, after6, after7;
    long after8, after9, afterA, afterB, afterC, afterD, afterE, afterF;

    /**
     * @param capacity   changes of owner that it holds in an iteration
     * @param iterations that are kept
     */
    OwnerLog(int capacity, int iterations) {
        this.capacity = capacity;
        words = new long[WORDS * capacity * iterations + MARGIN];
    }

    /**
     * Shows the compiler owners that change and do not, logs that are full and are not, before any kernel is compiled.
     * A kernel compiled when one of them had not been seen would fall back to the interpreter at the first of its kind,
     * and so in the middle of its synchronized block. HotSpot inflates a stack-locked monitor whose frame it
     * deoptimises (BasicLock::move_to), and JDK 17 takes and frees an inflated one with one atomic instruction where a
     * stack lock needs two: trials that were compiled early would have measured another lock, at half the cost.
     */
    static void train() {
        int capacity = 64;
        OwnerLog log = new OwnerLog(capacity, 1);
        long count = 0;
        long next = -1;
        int stretch = 6 * capacity;
        for (int i = 0; i < TRAINING; i++) {
            if (i % stretch == 0) {
                log.prepare(count, i / stretch % 2 == 1);
                log.opens(System.nanoTime());
            }
            count += i % 3 == 0 ? 2 : 1;
            next = log.entered(count, next);
            if (i % 16 == 0) {
                log.ended(System.nanoTime(), next);
            }
        }
    }

    @Override
    long entered(long count, long next) {
        if (count != next) {
            changed(count);
        }
        return count + 1;
    }

    /**
     * With work outside: an operation of this thread, from when it was asked for until it had released the lock.
     *
     * @param count of the counter before it
     */
    void operation(long asked, long released, long count) {
        if (size < limit) {
            mark = released - origin;
            last = mark;
            add(asked - origin, count - base);
        }
    }

    private void changed(long count) {
        if (size < limit) {
            add(System.nanoTime() - origin, count - base);
        }
        mark = 0;
    }

    /** A run of this thread begins: nanoseconds and operations since the iteration began. */
    void add(long nanos, long operations) {
        if ((nanos | operations) >>> BITS == 0) {
            words[size] = nanos << BITS | operations;
            words[size + 1] = mark;
            size += WORDS;
        } else {
            limit = size; // an iteration of more than 4 s: the log ends here
        }
    }

    @Override
    void ended(long nanos, long next) {
        long since = nanos - origin;
        last = since;
        mark = since >>> BITS == 0 ? since << BITS | (next - base) : 0;
    }

    /**
     * Begins the next iteration's part, behind what is kept. Between iterations only.
     *
     * @param count of the counter when the iteration begins
     * @param logs  whether it is logged, as far as there is room; else the clock is not read for it
     */
    void prepare(long count, boolean logs) {
        base = count;
        last = 0;
        mark = 0;
        size = kept;
        limit = logs && kept + WORDS * capacity + MARGIN <= words.length ? kept + WORDS * capacity : kept;
    }

    /** The iteration begins then; the same for all threads. */
    void opens(long nanos) {
        origin = nanos;
    }

    /** Keeps what was logged in the iteration that has ended; without this call the next one is logged over it. */
    Stretch keep() {
        Stretch stretch = new Stretch(words, kept, (size - kept) / WORDS, size >= limit, mark, last);
        kept = size;
        return stretch;
    }

    /**
     * One thread's part of an iteration: when it became the owner, in nanoseconds and operations since the iteration
     * began, and the marks.
     *
     * @param words    of the log
     * @param from     its first word
     * @param entries  how often the thread became the owner
     * @param full     whether it may have become the owner once more, unnoticed
     * @param lastMark that of its last run, which no entry carries
     * @param last     when it read the clock for the last time, at the end
     */
    record Stretch(long[] words, int from, int entries, boolean full, long lastMark, long last) {
        /** When this thread began that run. */
        long nanos(int entry) {
            return words[from + WORDS * entry] >>> BITS;
        }

        /** Operations before that run. */
        long count(int entry) {
            return low(words[from + WORDS * entry]);
        }

        /** With work outside, where entries are operations: when that one had released the lock. */
        long released(int entry) {
            return words[from + WORDS * entry + 1];
        }

        /** The count that no missing entry of any thread lies before. */
        static long limit(Stretch[] logs) {
            return Arrays.stream(logs)
                    .filter(Stretch::full)
                    .mapToLong(log -> log.entries() > 0 ? log.count(log.entries() - 1) : -1)
                    .min()
                    .orElse(Long.MAX_VALUE);
        }

        /** When the last mark in that run was made; 0 where there was none. */
        long markNanos(int entry) {
            return mark(entry) >>> BITS;
        }

        /** Operations of the iteration when that mark was made. */
        long markCount(int entry) {
            return low(mark(entry));
        }

        private long mark(int entry) {
            if (entry + 1 < entries) {
                return words[from + WORDS * (entry + 1) + 1];
            }
            return full ? 0 : lastMark;
        }

        private static long low(long word) {
            return word & (1L << BITS) - 1;
        }
    }
}

/** Keeps what is laid out before the fields away; a superclass's fields are never moved among a subclass's. */
abstract class OwnerLogPadding extends Owner {
    long before0, before1, before2, before3, before4, before5, before6, before7;
    long before8, before9, beforeA, beforeB, beforeC, beforeD, beforeE, beforeF;
}

/** What one thread writes at each of its operations, and others never. */
abstract class OwnerLogFields extends OwnerLogPadding {
    long mark;
    long last;
    long origin;
    long base;
    int size;
    int limit;
    int kept;
}
