package lab;

import java.nio.ByteBuffer;

/**
 * What the workers read of the state that their CPUs are in, in the gap before each iteration and after the last. They
 * spin from one to the other: a CPU that sleeps may wake on another core. What is read, and why, is said in
 * {@code reading.h}, whose machine code both harnesses run.
 */
final class Readings {
    /** A pair of workers' words, each on two lines of its own: {@code struct reading_line}. */
    private static final int PAIR_BYTES = 256;
    /** By which the first of them may have to begin later than the buffer. */
    private static final int ALIGNMENT = 128;

    private static final double CHAIN = 1e4;
    private static final double WIDE = 1e3;
    private static final double WORD = 10;

    private final Workers team;
    private final boolean possible;
    private final double[][] core;
    private final double[] word;
    private final ByteBuffer lines;

    /** @param possible whether the workers are threads with a CPU of their own each */
    Readings(Workers team, boolean possible) {
        this.team = team;
        this.possible = possible;
        int threads = team.trial.threads();
        core = new double[threads][2];
        word = new double[threads];
        lines = ByteBuffer.allocateDirect(possible ? threads * PAIR_BYTES + ALIGNMENT : 0);
    }

    /** Before every iteration and after the last, by every worker. */
    void take(int worker) {
        if (!possible) {
            return;
        }
        team.barrier.await();
        Native.readCore(core[worker]);
        word[worker] = Double.NaN;
        for (int first = 0; first < 2 && first + 1 < core.length; first++) {
            team.barrier.await();
            if (worker >= first && (worker - first) % 2 == 1) {
                Native.readAnswer(lines, worker - 1);
            } else if (worker >= first && worker + 1 < core.length) {
                word[worker] = Native.readAsk(lines, worker);
            }
        }
    }

    /** Leaves what was read before an iteration, once it has begun, or after the last: around those that count. */
    void leave(int iteration) {
        boolean after = iteration < team.phases.iterations() && !team.phases.warmup(iteration);
        boolean before = iteration > 0 && !team.phases.warmup(iteration - 1);
        for (int i = 0; possible && (before || after) && i < core.length; i++) {
            Double way = Double.isNaN(word[i]) ? null : (Double) rounded(word[i], WORD);
            team.trial.recorder().read(iteration, i, rounded(core[i][0], CHAIN), rounded(core[i][1], WIDE), way);
        }
    }

    private static double rounded(double nanos, double per) {
        return Math.rint(nanos * per) / per;
    }
}
