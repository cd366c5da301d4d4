package lab.experiments.dispatch;

import lab.Phases;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * The historical shape: four classes in turn, each called by many sections of the same call site, over and over. Every
 * section is an invocation of {@code opRun} with one receiver. A class is loaded right before its first section, since
 * the effect of loading it on the compiled call site is the subject; for the same reason there is no warm-up.
 *
 * <p>{@code v + map(v)} reaches a fixed point within 32 calls. The cost of an addition does not depend on its operands,
 * so that is kept as it was.
 */
final class Steps implements Workers.Body {
    private static final String[] NAMES = {"inc7", "dec3", "inc1", "dec1"};
    private static final int[] ADDENDS = {7, -3, 1, -1};

    private final Trial trial;
    private final int loops;
    private final int sections;
    private final int operations;
    private final Series[] series = new Series[NAMES.length];
    private final long[] sums = new long[NAMES.length];

    private Steps(Trial trial) {
        this.trial = trial;
        loops = trial.parameters().getInt("loops");
        sections = trial.parameters().getInt("iterations");
        operations = trial.parameters().getInt("operations");
        for (int id = 0; id < NAMES.length; id++) {
            series[id] = trial.recorder().series(NAMES[id]);
        }
    }

    /** Runs {@code iterations} sections per class and loop, and checks what they returned. */
    static void measure(Trial trial) {
        trial.parameters().put("warmup", 0L);
        Steps steps = new Steps(trial);
        Workers.platform(trial)
                .phases(Phases.usual(trial.parameters()))
                .oneInvocation(true)
                .run(steps);
        for (int id = 0; id < NAMES.length; id++) {
            // v + (v + addend), applied to 0 again and again.
            long value = new Affine(2, ADDENDS[id]).power(steps.operations).apply(0);
            trial.recorder()
                    .check(
                            "sum of the final values of " + NAMES[id],
                            value * steps.loops * steps.sections,
                            steps.sums[id]);
        }
    }

    @Override
    public void run(Worker worker, int from, int to) {
        int iteration = 0;
        for (int loop = 0; loop < loops; loop++) {
            String phase = "loop" + loop;
            for (int id = 0; id < NAMES.length; id++) {
                IntOperation operation = create(id);
                for (int section = 0; section < sections; section++) {
                    worker.begin(iteration);
                    long before = System.nanoTime();
                    int value = opRun(operation, operations);
                    long now = System.nanoTime();
                    series[id].add(now - before);
                    worker.end(series[id], phase, now, operations);
                    sums[id] += value;
                    iteration++;
                }
            }
        }
    }

    private static int opRun(IntOperation operation, int operations) {
        int value = 0;
        for (int i = 0; i < operations; i++) {
            value += operation.map(value);
        }
        return value;
    }

    private static IntOperation create(int id) {
        return switch (id) {
            case 0 -> new Inc7();
            case 1 -> new Dec3();
            case 2 -> new Inc1();
            default -> new Dec1();
        };
    }

    private static final class Inc7 implements IntOperation {
        @Override
        public int map(int value) {
            return value + 7;
        }
    }

    private static final class Dec3 implements IntOperation {
        @Override
        public int map(int value) {
            return value - 3;
        }
    }

    private static final class Inc1 implements IntOperation {
        @Override
        public int map(int value) {
            return value + 1;
        }
    }

    private static final class Dec1 implements IntOperation {
        @Override
        public int map(int value) {
            return value - 1;
        }
    }
}
