package lab.load;

import java.util.Random;

/**
 * Work of a known length that one thread does: pairs of dependent adds, which make Fibonacci numbers.
 * Every add needs the one before, so a step takes two core cycles whatever the core could do side by side; nothing of
 * it touches memory that others write; and the last number is known in advance from the number of steps, so that work
 * left out would be seen.
 */
public class Work extends Padding {
    /** A prime, so that timing one operation in a power of two visits all; 4 KiB stay in the first-level cache. */
    public static final int DRAWS = 1021;

    private static final int PROBE_STEPS = 20_000;
    private static final long PROBE_NANOS = 30_000_000;

    private final int[] draws;
    private int at;
    /** F(2 steps) modulo 2^64, and the number after it. */
    private long a;

    private long b = 1;
    private long steps;

    /**
     * @param meanSteps   the mean of a piece
     * @param exponential the quantiles of an exponential distribution instead of pieces all alike
     * @param seed        fixes their order
     */
    public Work(double meanSteps, boolean exponential, long seed) {
        draws = new int[DRAWS];
        double[] quantiles = quantiles();
        for (int i = 0; i < DRAWS; i++) {
            draws[i] = (int) Math.round(meanSteps * (exponential ? quantiles[i] : 1));
        }
        Random random = new Random(seed);
        for (int i = DRAWS - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int draw = draws[i];
            draws[i] = draws[other];
            draws[other] = draw;
        }
    }

    /** Quantiles of an exponential distribution, scaled to mean 1: at (i + 1/2) / n alone they lack the far tail. */
    private static double[] quantiles() {
        double[] quantiles = new double[DRAWS];
        double mean = 0;
        for (int i = 0; i < DRAWS; i++) {
            quantiles[i] = -Math.log(1 - (i + 0.5) / DRAWS);
            mean += quantiles[i] / DRAWS;
        }
        for (int i = 0; i < DRAWS; i++) {
            quantiles[i] /= mean;
        }
        return quantiles;
    }

    /** Nanoseconds of a step on this core, now: the least of many batches, once the compiler is done. */
    public static double stepNanos() {
        Work probe = new Work(PROBE_STEPS, false, 0);
        long least = Long.MAX_VALUE;
        long end = System.nanoTime() + PROBE_NANOS;
        long after;
        do {
            long before = System.nanoTime();
            probe.work(0);
            after = System.nanoTime();
            least = Math.min(least, after - before);
        } while (after - end < 0);
        return (double) least / PROBE_STEPS;
    }

    /**
     * One piece.
     *
     * @param count what was done before it left, not negative: it adds nothing, but keeps the core from starting on the
     *              adds while it still waits for that
     */
    public final void work(long count) {
        int at = this.at;
        int steps = draws[at];
        this.at = at + 1 == DRAWS ? 0 : at + 1;
        long a = this.a + (count >>> 63);
        long b = this.b;
        for (int i = 0; i < steps; i++) {
            a += b;
            b += a;
        }
        this.a = a;
        this.b = b;
        this.steps += steps;
    }

    /** The number that the steps made. */
    public final long made() {
        return a;
    }

    /** The number that its steps have to make. */
    public final long expected() {
        return fibonacci(steps);
    }

    /** The number that so many pieces have to make, whether or not it has done them. */
    final long expected(long pieces) {
        long round = 0;
        long rest = 0;
        for (int i = 0; i < DRAWS; i++) {
            round += draws[i];
            rest += i < pieces % DRAWS ? draws[i] : 0;
        }
        return fibonacci(pieces / DRAWS * round + rest);
    }

    /** F(2 steps) modulo 2^64, by fast doubling. */
    private static long fibonacci(long steps) {
        long n = 0;
        long next = 1;
        for (int bit = 63; bit >= -1; bit--) { // bit -1: the index is 2 * steps
            long doubled = n * (2 * next - n);
            next = n * n + next * next;
            n = doubled;
            if (bit >= 0 && (steps >>> bit & 1) == 1) {
                long sum = n + next;
                n = next;
                next = sum;
            }
        }
        return n;
    }

    /** Steps so far. */
    public final long steps() {
        return steps;
    }
}
