package lab.load;

/**
 * When events arrive, at a rate of 1: gaps drawn once for a trial, from which each iteration takes a stretch that
 * depends on nothing but its number. So all variants, in Java and in C, see the same arrivals, scaled.
 */
final class Arrivals {
    /** Gaps drawn; beyond them they come again. */
    static final int LENGTH = 1 << 20;
    /** A prime, so that the stretches of an ordinary trial begin at different places. */
    private static final long STRIDE = 7919;

    private final double[] gaps = new double[LENGTH];

    /**
     * @param uniform all gaps alike; else exponential, which makes a Poisson process
     * @param seed    fixes the draws
     */
    Arrivals(boolean uniform, long seed) {
        SplitMix random = new SplitMix(seed);
        for (int i = 0; i < LENGTH; i++) {
            gaps[i] = uniform ? 1 : -Math.log(1 - random.nextDouble());
        }
    }

    /** Where the stretch of a producer in an iteration begins. */
    static int place(int iteration, int producer, int producers) {
        return (int) ((iteration * STRIDE + (long) producer * (LENGTH / producers)) % LENGTH);
    }

    /** The gap before the event, the i-th of a stretch. */
    double gap(int place, long i) {
        return gaps[(int) ((place + i) & (LENGTH - 1))];
    }
}
