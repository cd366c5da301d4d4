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
    /** Of the first thread beside the workers, before they came; null: there is none. */
    private double[] beside;
    /** The first gap that was left, and the last; -1: none. */
    private int first = -1;

    private int last;

    /** @param beside how many threads run beside the workers; nothing is read unless each of all has its own CPU */
    Readings(Workers team, int beside) {
        this.team = team;
        int threads = team.trial.threads();
        boolean pinned = team.countsSwitches && team.trial.cpus().length > 0;
        possible = pinned && threads + beside <= team.trial.usableCpus();
        this.beside = possible && beside > 0 ? new double[3] : null;
        core = new double[threads][2];
        word = new double[threads];
        lines = ByteBuffer.allocateDirect(possible ? threads * PAIR_BYTES + ALIGNMENT : 0);
    }

    /** Of a thread beside the workers, while none of them is there: it has nothing to do with them in a gap. */
    void before() {
        beside = pair();
    }

    /** The same once they have gone; what was read belongs to the gaps at both ends. */
    void after() {
        double[] now = pair();
        if (now != null && first >= 0) {
            read(first, core.length, beside[0], beside[1], beside[2]);
            read(last, core.length, now[0], now[1], now[2]);
        }
    }

    private double[] pair() {
        if (beside == null) {
            return null;
        }
        int[] cpus = team.trial.cpus();
        double[] found = new double[3];
        return Native.readPair(cpus[0], cpus[core.length % cpus.length], found) == 0 ? found : null;
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
        if (possible && (before || after)) {
            first = first < 0 ? iteration : first;
            last = iteration;
            for (int i = 0; i < core.length; i++) {
                read(iteration, i, core[i][0], core[i][1], word[i]);
            }
        }
    }

    private void read(int iteration, int thread, double chain, double wide, double way) {
        Double told = Double.isNaN(way) ? null : (Double) rounded(way, WORD);
        team.trial.recorder().read(iteration, thread, rounded(chain, CHAIN), rounded(wide, WIDE), told);
    }

    private static double rounded(double nanos, double per) {
        return Math.rint(nanos * per) / per;
    }
}
