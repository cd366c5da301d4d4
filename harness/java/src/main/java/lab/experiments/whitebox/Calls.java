package lab.experiments.whitebox;

import lab.Recorder;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * What a call costs at a tier: batches of calls of one {@link Site}, whose code, and that of what it calls, is of
 * the tier asked for before the first batch and after the last one.
 *
 * <p>First the site runs interpreted, so that it is linked, and then with the whole profile, without which the second
 * compiler would compile a site that was never reached. A {@code CompileCommand} keeps it from being inlined into the
 * loop that times it, where it would have that loop's tier.
 */
final class Calls implements Workers.Body {
    /** Calls in a batch: whole cycles. */
    private static final int BATCH = 64 * Site.PERIOD;

    private static final int PROFILED_CYCLES = 2000;
    private static final int START = 1;

    private final Trial trial;
    private final Tiers tiers;
    private final int tier;
    private final int classes;
    private final Site.Operation[] receivers;
    private final Series series;
    private int value = START;
    private long cycles;

    private Calls(Trial trial) {
        this.trial = trial;
        tier = trial.parameters().getInt("tier");
        classes = trial.parameters().getInt("classes");
        receivers = Site.receivers(classes);
        tiers = new Tiers(new Instrument().box, Site.methods(classes));
        series = trial.recorder().series("calls");
    }

    /** Runs the trial and checks the tier, and what the calls have returned. */
    static void measure(Trial trial) {
        Calls calls = new Calls(trial);
        calls.prepare();
        calls.checkTier("before");
        Workers.platform(trial).fixed().run(calls);
        calls.checkTier("after");
        trial.recorder().check("value after all calls", Site.expected(calls.classes, calls.cycles, START), calls.value);
    }

    private void prepare() {
        call(Site.PERIOD);
        tiers.bring(Tiers.PROFILED);
        for (int i = 0; i < PROFILED_CYCLES; i++) {
            call(Site.PERIOD);
        }
        tiers.bring(tier);
    }

    private void call(int calls) {
        value = Site.call(receivers, calls, value);
        cycles += calls / Site.PERIOD;
    }

    private void checkTier(String when) {
        Recorder recorder = trial.recorder();
        recorder.check("methods at tier " + tier + " " + when, tiers.count(), tiers.at(tier));
    }

    @Override
    public void run(Worker worker, int from, int to) {
        for (int iteration = from; iteration < to; iteration++) {
            long calls = 0;
            long deadline = worker.begin(iteration);
            long before = System.nanoTime();
            long now;
            do {
                call(BATCH);
                now = System.nanoTime();
                series.add(now - before);
                before = now;
                calls += BATCH;
            } while (now - deadline < 0);
            worker.end(series, trial.phase(iteration), now, calls);
        }
    }
}
