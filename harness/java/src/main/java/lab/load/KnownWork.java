package lab.load;

import java.util.Arrays;

/** Work of so many nanoseconds, in steps of this core, now; and what it took when it was timed. */
final class KnownWork {
    private static final int ROUNDS = 9;
    private static final long BUDGET_NANOS = 20_000_000;

    private final Load load;
    private final double meanSteps;

    KnownWork(Load load) {
        this.load = load;
        meanSteps = load.work() / Work.stepNanos();
    }

    /** The work of one consumer. */
    Work work(int consumer) {
        return new Work(meanSteps, load.exponential(), consumer);
    }

    /** Mean nanoseconds of a piece: the median of some rounds through all of them. */
    double meanNanos() {
        Work work = work(0);
        double[] means = new double[ROUNDS];
        int rounds = 0;
        long begin = System.nanoTime();
        while (rounds < ROUNDS && (rounds == 0 || System.nanoTime() - begin < BUDGET_NANOS)) {
            long before = System.nanoTime();
            for (int piece = 0; piece < Work.DRAWS; piece++) {
                work.work(piece);
            }
            means[rounds++] = (double) (System.nanoTime() - before) / Work.DRAWS;
        }
        Arrays.sort(means, 0, rounds);
        return means[rounds / 2];
    }
}
