package lab.experiments.locks;

import java.util.Arrays;

/** Who held a lock how long: runs of one owner in a sequence of operations, and fairness. */
final class OwnerRuns {
    private final int operations;
    private final int runs;
    /** For each return of a thread: the operations of others since its previous run. Sorted. */
    private final int[] reacquires;

    /** @param owners the owner of each operation, in order */
    OwnerRuns(short[] owners) {
        operations = owners.length;
        int[] gaps = new int[operations];
        int returns = 0;
        int changes = 0;
        int[] lastSeen = new int[1 + max(owners)];
        Arrays.fill(lastSeen, -1);
        for (int i = 0; i < operations; i++) {
            if (i == 0 || owners[i] != owners[i - 1]) {
                changes++;
                int last = lastSeen[owners[i]];
                if (last >= 0) {
                    gaps[returns++] = i - last - 1;
                }
            }
            lastSeen[owners[i]] = i;
        }
        runs = changes;
        reacquires = Arrays.copyOf(gaps, returns);
        Arrays.sort(reacquires);
    }

    private static int max(short[] owners) {
        int max = 0;
        for (short owner : owners) {
            max = Math.max(max, owner);
        }
        return max;
    }

    /** Operations in the sequence. */
    int operations() {
        return operations;
    }

    /** Number of maximal runs of one owner; operations / runs is the mean run length. */
    int runs() {
        return runs;
    }

    /** Whether any thread came back after another's run. */
    boolean reacquired() {
        return reacquires.length > 0;
    }

    /** Median number of operations others made between two runs of the same thread, over all threads' returns. */
    double medianReacquire() {
        if (!reacquired()) {
            throw new IllegalStateException("no thread came back");
        }
        int middle = reacquires.length / 2;
        return reacquires.length % 2 == 1 ? reacquires[middle] : (reacquires[middle - 1] + reacquires[middle]) / 2.0;
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
