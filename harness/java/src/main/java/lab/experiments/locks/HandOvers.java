package lab.experiments.locks;

import java.util.Arrays;
import lab.Series;

/**
 * What the runs of an iteration say: the time of an operation within a run, of each hand-over, of each wait, and so the
 * residence time of every operation. No model is in it but that the operations of a run take the same time each.
 */
final class HandOvers {
    /** A run tells the time of an operation when so many were done between two readings of the clock. */
    private static final int TELLING = 16;

    private static final int FEWEST_MARKED = 8;
    private static final int FEWEST_PAIRS = 32;

    private final OwnerRuns runs;
    /** Time of an operation of an owner that goes on, in ns; NaN where runs are too short or too few to tell. */
    final double section;

    private double sum;
    /** Hand-overs that take no longer than an operation, as far as can be told. */
    int hidden;

    HandOvers(OwnerRuns runs) {
        this.runs = runs;
        double marked = ofMarked();
        section = Double.isNaN(marked) ? ofPairs() : marked;
    }

    /** Mean of all hand-overs, in ns. */
    double mean() {
        return sum / runs.runs;
    }

    /** Median time of an operation from a run's first entry to its mark. */
    private double ofMarked() {
        double[] found = new double[runs.runs];
        int size = 0;
        for (int i = 0; i < found.length; i++) {
            if (tells(i)) {
                found[size++] = within(i);
            }
        }
        return size < FEWEST_MARKED ? Double.NaN : median(Arrays.copyOf(found, size));
    }

    private boolean tells(int run) {
        return runs.marked(run) && runs.markedLength(run) >= TELLING;
    }

    private double within(int run) {
        return (double) runs.markedNanos(run) / runs.markedLength(run);
    }

    /**
     * How much longer a tail is for an operation more, a hand-over being at the end of each: the median slope of pairs
     * of tails that are half of all apart when sorted by length (Theil 1950, the incomplete method).
     */
    private double ofPairs() {
        Integer[] order = new Integer[runs.runs];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, (a, b) -> {
            int byLength = Long.compare(runs.tailLength(a), runs.tailLength(b));
            return byLength != 0 ? byLength : Long.compare(runs.tailNanos(a), runs.tailNanos(b));
        });
        int half = order.length / 2;
        double[] slopes = new double[half];
        int size = 0;
        for (int i = 0; i < half; i++) {
            long operations = runs.tailLength(order[i + half]) - runs.tailLength(order[i]);
            if (operations > 0) {
                slopes[size++] = (double) (runs.tailNanos(order[i + half]) - runs.tailNanos(order[i])) / operations;
            }
        }
        double slope = size < FEWEST_PAIRS ? Double.NaN : median(Arrays.copyOf(slopes, size));
        return slope > 0 ? slope : Double.NaN;
    }

    /** Time of an operation of a run: its own where it was timed, else that of all; NaN where nothing tells. */
    private double each(int run) {
        return tells(run) ? within(run) : section;
    }

    /**
     * The share of a tail that is its operations. They take what those before them did, but not so much that passing
     * the lock on would take less than one of them: an owner is quicker while nobody asks. 0 where nothing tells.
     */
    private double tail(int run) {
        double each = each(run);
        return Double.isNaN(each) ? 0 : runs.tailLength(run) * Math.max(0, Math.min(each, most(run)));
    }

    private double most(int run) {
        return (double) runs.tailNanos(run) / (runs.tailLength(run) + 1);
    }

    /**
     * Adds every hand-over, in ns: from the last operation of a run, which nobody timed but the section tells, to the
     * first entry of the next. Where a run has no mark it is from entry to entry, one section included.
     */
    void handOvers(Series series) {
        for (int i = 0; i < runs.runs; i++) {
            // Of an atomic counter readings may be the other way round than what they are of.
            double nanos = Math.max(0, runs.tailNanos(i) - tail(i));
            hidden += each(i) > most(i) ? 1 : 0;
            sum += nanos;
            series.add(Math.round(nanos));
        }
    }

    /** Adds the length of every run, in operations. */
    void lengths(Series series) {
        for (int i = 0; i < runs.runs; i++) {
            series.add(runs.length(i));
        }
    }

    /** Adds every wait, in ns: from the end of a thread's run to its next entry. */
    void waits(Series series) {
        for (int i = 0; i < runs.runs; i++) {
            if (runs.returned(i)) {
                series.add(wait(i));
            }
        }
    }

    private long wait(int run) {
        int previous = runs.before(run);
        double end = runs.start(previous + 1) - runs.tailNanos(previous) + tail(previous);
        return Math.max(0, Math.round(runs.start(run) - end));
    }

    /**
     * Adds the residence time of every operation, in ns: of the first of a run its wait, of each other the time of an
     * operation in that run.
     */
    void residences(Series series) {
        for (int i = 0; i < runs.runs; i++) {
            if (runs.returned(i)) {
                series.add(wait(i));
            }
            double each = each(i);
            double seen = (double) runs.turn(i) / runs.length(i);
            series.add(Math.max(0, Math.round(Double.isNaN(each) ? seen : Math.min(each, seen))), runs.length(i) - 1);
        }
    }

    /** Median number of operations others made between two runs of the same thread; NaN where none came back. */
    double medianBetween() {
        double[] found = new double[runs.runs];
        int size = 0;
        for (int i = 0; i < found.length; i++) {
            if (runs.returned(i)) {
                found[size++] = runs.between(i);
            }
        }
        return size == 0 ? Double.NaN : median(Arrays.copyOf(found, size));
    }

    /** Of values that it may sort. */
    static double median(double[] values) {
        Arrays.sort(values);
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }
}
