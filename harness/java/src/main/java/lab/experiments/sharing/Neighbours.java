package lab.experiments.sharing;

import java.util.Arrays;

/** What lies close to what, from the addresses of the words. */
final class Neighbours {
    private Neighbours() {}

    /** The smallest distance in bytes between two of at least two words. */
    static long distance(long[] addresses) {
        long[] sorted = addresses.clone();
        Arrays.sort(sorted);
        long smallest = Long.MAX_VALUE;
        for (int i = 1; i < sorted.length; i++) {
            smallest = Math.min(smallest, sorted[i] - sorted[i - 1]);
        }
        return smallest;
    }

    /** How many words lie in a block of {@code block} bytes (aligned, a power of two) with another word. */
    static int sharing(long[] addresses, int block) {
        int sharing = 0;
        for (int i = 0; i < addresses.length; i++) {
            boolean shares = false;
            for (int j = 0; j < addresses.length; j++) {
                shares |= i != j && addresses[i] / block == addresses[j] / block;
            }
            sharing += shares ? 1 : 0;
        }
        return sharing;
    }
}
