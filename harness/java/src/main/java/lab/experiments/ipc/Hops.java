package lab.experiments.ipc;

import java.util.Arrays;

/** What one way took, by iteration. */
final class Hops {
    private double[] nanos = new double[64];
    private int count;

    /** An iteration of so many hops. */
    void add(long elapsedNanos, long hops) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * count);
        }
        nanos[count++] = elapsedNanos / (double) hops;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** The median iteration's. */
    double median() {
        double[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    }
}
