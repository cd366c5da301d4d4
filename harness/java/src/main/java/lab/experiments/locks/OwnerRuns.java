package lab.experiments.locks;

import java.util.Arrays;

/**
 * The runs of an iteration: who owned the lock from when to when, put together from the logs of all threads. Run i
 * begins with an entry and ends where run i+1 begins; the last one is open and left out.
 *
 * <p>The stretch begins when all threads that were in at all have been, and ends when the first of them does: before
 * and after the lock is that of fewer, and of who comes back late from without a CPU it would tell hand-overs of
 * milliseconds. A log that was full may have missed what came after its last entry, so it ends there.
 */
final class OwnerRuns {
    private static final int OWNER_BITS = 16;

    private final long[] nanos;
    private final long[] counts;
    private final long[] markNanos;
    private final long[] markCounts;
    /** Of each run the one that its owner had before, or -1. */
    private final int[] before;

    /** The first run that counts. */
    private final int first;

    /** How many whole runs there are. */
    final int runs;

    /** @param logs by thread, of an iteration that has ended */
    OwnerRuns(OwnerLog.Stretch[] logs) {
        long[] keys = keys(logs);
        int entries = keys.length;
        nanos = new long[entries];
        counts = new long[entries];
        markNanos = new long[entries];
        markCounts = new long[entries];
        before = new int[entries];
        int[] taken = new int[logs.length];
        int[] latest = new int[logs.length];
        Arrays.fill(latest, -1);
        for (int i = 0; i < entries; i++) {
            int owner = (int) keys[i] & ((1 << OWNER_BITS) - 1);
            int entry = taken[owner]++;
            nanos[i] = logs[owner].nanos(entry);
            counts[i] = keys[i] >>> OWNER_BITS;
            markNanos[i] = logs[owner].markNanos(entry);
            markCounts[i] = logs[owner].markCount(entry);
            before[i] = latest[owner];
            latest[owner] = i;
        }
        putInOrder();
        first = lastOfFirsts();
        runs = Math.max(0, until(logs) - 1 - first);
    }

    /** Of an atomic counter readings may be the other way round than additions, which came before the next one's. */
    private void putInOrder() {
        for (int i = nanos.length - 2; i >= 0; i--) {
            nanos[i] = Math.min(nanos[i], nanos[i + 1]);
        }
    }

    private int lastOfFirsts() {
        int found = 0;
        for (int i = 0; i < before.length; i++) {
            found = before[i] < 0 ? i : found;
        }
        return found;
    }

    /** How many entries there are until the first thread has ended. */
    private int until(OwnerLog.Stretch[] logs) {
        long end = Arrays.stream(logs).mapToLong(OwnerLog.Stretch::last).min().orElse(0);
        int size = 0;
        while (size < nanos.length && nanos[size] <= end) {
            size++;
        }
        return size;
    }

    /** The entries that no missing one can lie between, in order: count and owner in one number. */
    private static long[] keys(OwnerLog.Stretch[] logs) {
        long limit = OwnerLog.Stretch.limit(logs);
        long[] keys =
                new long[Arrays.stream(logs).mapToInt(OwnerLog.Stretch::entries).sum()];
        int size = 0;
        for (int owner = 0; owner < logs.length; owner++) {
            for (int i = 0; i < logs[owner].entries() && logs[owner].count(i) <= limit; i++) {
                keys[size++] = logs[owner].count(i) << OWNER_BITS | owner;
            }
        }
        keys = Arrays.copyOf(keys, size);
        Arrays.sort(keys);
        return keys;
    }

    /** Operations of all runs. */
    long operations() {
        return runs == 0 ? 0 : counts[first + runs] - counts[first];
    }

    /** From the first entry to the last, in ns. */
    long nanos() {
        return runs == 0 ? 0 : nanos[first + runs] - nanos[first];
    }

    /** Operations of a run. */
    long length(int run) {
        return counts[first + run + 1] - counts[first + run];
    }

    /** When a run began, in ns since the iteration did. */
    long start(int run) {
        return nanos[first + run];
    }

    /** From a run's first entry to that of the next run, in ns. */
    long turn(int run) {
        return nanos[first + run + 1] - nanos[first + run];
    }

    /** Whether the owner of a run had another one before it that counts. */
    boolean returned(int run) {
        return before[first + run] >= first;
    }

    /** The run that its owner had before it, of one that {@link #returned}. */
    int before(int run) {
        return before[first + run] - first;
    }

    /** Operations of others between a run and the one that its owner had before it. */
    long between(int run) {
        return counts[first + run] - counts[first + before(run) + 1];
    }

    /**
     * Whether the clock was read in a run, between two of its operations. A reading that the next owner's entry came
     * before was taken when the run was over.
     */
    boolean marked(int run) {
        return markNanos[first + run] > 0 && markNanos[first + run] < nanos[first + run + 1];
    }

    /** Operations up to the mark of a run. */
    long markedLength(int run) {
        return markCounts[first + run] - counts[first + run];
    }

    /** From the first entry of a run to its mark, in ns. */
    long markedNanos(int run) {
        return markNanos[first + run] - nanos[first + run];
    }

    /** Operations of a run that nothing was timed after: those behind its mark, or all but the first. */
    long tailLength(int run) {
        return marked(run) ? counts[first + run + 1] - markCounts[first + run] : length(run) - 1;
    }

    /** From the last reading of the clock in a run to the first entry of the next, in ns. */
    long tailNanos(int run) {
        return marked(run) ? nanos[first + run + 1] - markNanos[first + run] : turn(run);
    }

    /**
     * Gini coefficient of the operations over threads: 0 when all did the same, (n-1)/n when one did all. Mean absolute
     * difference of all pairs, over twice the mean, by the formula for sorted values.
     */
    static double gini(long[] operations) {
        long[] sorted = operations.clone();
        Arrays.sort(sorted);
        double sum = 0;
        double weighted = 0;
        for (int i = 0; i < sorted.length; i++) {
            sum += sorted[i];
            weighted += (2.0 * (i + 1) - sorted.length - 1) * sorted[i];
        }
        return sum == 0 ? 0 : weighted / (sorted.length * sum);
    }
}
