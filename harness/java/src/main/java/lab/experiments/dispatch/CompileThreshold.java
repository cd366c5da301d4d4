package lab.experiments.dispatch;

import lab.Phases;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * How often a method must be invoked until it is compiled. Rows of 100 invocations of {@code step}; the row in which
 * the log says that it was compiled gives the number. The calls are written out ten in a row, so that their caller is
 * far from the threshold of its own when {@code step} reaches it, and is neither compiled nor inlines it.
 */
final class CompileThreshold implements Workers.Body {
    private static final int TURNS = 10;
    private static final int INVOCATIONS = 100;
    private static final int ENOUGH = 30_000;
    private static final int MULTIPLIER = 1_664_525;
    private static final int ADDEND = 1_013_904_223;

    private final Series calls;
    private int value;

    private CompileThreshold(Trial trial) {
        calls = trial.recorder().series("calls");
    }

    /** Runs 300 rows of 100 invocations. Neither warm-up nor the number of iterations is the caller's to choose. */
    static void measure(Trial trial) {
        trial.parameters().put("warmup", 0L);
        trial.parameters().put("iterations", (long) (ENOUGH / INVOCATIONS));
        CompileThreshold threshold = new CompileThreshold(trial);
        Workers.platform(trial)
                .phases(Phases.usual(trial.parameters()))
                .oneInvocation(true)
                .run(threshold);
        int expected = new Affine(MULTIPLIER, ADDEND).power(ENOUGH).apply(0);
        trial.recorder().check("value after " + ENOUGH + " invocations", expected, threshold.value);
    }

    @Override
    public void run(Worker worker, int from, int to) {
        for (int iteration = from; iteration < to; iteration++) {
            worker.begin(iteration);
            long before = System.nanoTime();
            value = hundred(value);
            long now = System.nanoTime();
            calls.add(now - before);
            worker.end(calls, "measured", now, INVOCATIONS);
        }
    }

    private static int hundred(int start) {
        int value = start;
        for (int turn = 0; turn < TURNS; turn++) {
            value = step(value);
            value = step(value);
            value = step(value);
            value = step(value);
            value = step(value);
            value = step(value);
            value = step(value);
            value = step(value);
            value = step(value);
            value = step(value);
        }
        return value;
    }

    private static int step(int value) {
        return value * MULTIPLIER + ADDEND;
    }
}
