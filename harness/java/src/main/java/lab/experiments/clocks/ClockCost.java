package lab.experiments.clocks;

import java.util.List;
import lab.Experiment;
import lab.Parameter;
import lab.Trial;

/**
 * What does measuring cost, and below what value does a measured time mean nothing? An operation is one reading of a
 * clock.
 *
 * <p>Run, and expect the steps to be about as long as a reading takes, where the clock source is {@code tsc}:
 * <pre>
 * java -jar harness/java/target/lab-harness.jar clock --variant nano_time \
 *     --warmup 5 --iterations 50 --out /tmp/x.hlog
 * </pre>
 */
public final class ClockCost implements Experiment {
    @Override
    public String name() {
        return "clock";
    }

    @Override
    public List<Variant> variants() {
        return Variant.all("nano_time", "current_time_millis", "idle", "across");
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                // Readings per batch: many, so that the one that ends a batch costs little beside them.
                Parameter.ofInt("batch", 1, 1_000_000, 1000),
                // Length of a slot of the idle thread.
                Parameter.ofInt("slot-us", 1, 1_000_000, 10));
    }

    @Override
    public void run(Trial trial) {
        int threads = trial.variant().equals("across") ? 2 : 1;
        trial.requireThreads(threads, "must be " + threads + " with variant " + trial.variant());
        Clocks.measure(trial);
    }
}
