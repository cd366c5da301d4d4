package lab.load;

/** splitmix64 (Steele, Lea, Flood, OOPSLA 2014): the same numbers from the same seed in every language. */
final class SplitMix {
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;
    private long state;

    SplitMix(long seed) {
        state = seed;
    }

    long next() {
        state += GOLDEN;
        long z = state;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /** Uniform in [0, 1), 53 bits. */
    double nextDouble() {
        return (next() >>> 11) * 0x1.0p-53;
    }
}
