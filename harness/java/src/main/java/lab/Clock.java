package lab;

import java.util.Arrays;

/** One instant on both clocks, and what a reading of the clock costs. */
public final class Clock {
    private static final int READS = 128;
    private static final int BATCHES = 600;

    final long monotonicNanos;
    final long epochMillis;

    /**
     * Pairs the clocks right after the millisecond clock ticks (waits up to one millisecond for it): the two
     * readings then belong together within about a microsecond instead of within a millisecond.
     */
    Clock() {
        long before = System.currentTimeMillis();
        long millis = before;
        while (millis == before) {
            millis = System.currentTimeMillis();
        }
        monotonicNanos = System.nanoTime();
        epochMillis = millis;
    }

    /**
     * Median nanoseconds between two readings with nothing between them. Many short batches, so that the last one,
     * whose median it is, runs compiled.
     */
    public static double readCost() {
        long[] readings = new long[READS + 1];
        for (int i = 0; i < BATCHES; i++) {
            read(readings);
        }
        long[] costs = new long[READS];
        for (int i = 0; i < READS; i++) {
            costs[i] = readings[i + 1] - readings[i];
        }
        Arrays.sort(costs);
        return (costs[READS / 2 - 1] + costs[READS / 2]) / 2.0;
    }

    private static void read(long[] readings) {
        for (int i = 0; i < readings.length; i++) {
            readings[i] = System.nanoTime();
        }
    }
}
