package lab.load;

import java.util.Arrays;
import lab.Series;

/** Durations that one thread collects in an iteration, to be put into a series after it. */
final class Samples {
    private static final int CAPACITY = 1 << 14;
    /** Slot 0 holds how many there are: nothing else is written while the iteration runs. */
    private long[] values = new long[CAPACITY];

    void add(long nanos) {
        int slot = (int) values[0] + 1;
        if (slot == values.length) {
            values = Arrays.copyOf(values, 2 * values.length);
        }
        values[slot] = nanos;
        values[0] = slot;
    }

    long count() {
        return values[0];
    }

    long[] toArray() {
        return Arrays.copyOfRange(values, 1, 1 + (int) values[0]);
    }

    /** The median; NaN without a value. */
    double median() {
        int count = (int) values[0];
        long[] sorted = Arrays.copyOfRange(values, 1, 1 + count);
        Arrays.sort(sorted);
        return count == 0 ? Double.NaN : sorted[count / 2];
    }

    double sumAbove(long limit) {
        double sum = 0;
        int count = (int) values[0];
        for (int i = 1; i <= count; i++) {
            sum += values[i] > limit ? values[i] : 0;
        }
        return sum;
    }

    long countAbove(long limit) {
        long above = 0;
        int count = (int) values[0];
        for (int i = 1; i <= count; i++) {
            above += values[i] > limit ? 1 : 0;
        }
        return above;
    }

    double sumOfSquares() {
        double sum = 0;
        int count = (int) values[0];
        for (int i = 1; i <= count; i++) {
            sum += (double) values[i] * values[i];
        }
        return sum;
    }

    void addTo(Series series) {
        int count = (int) values[0];
        for (int i = 1; i <= count; i++) {
            series.add(values[i]);
        }
    }

    void clear() {
        values[0] = 0;
    }
}
