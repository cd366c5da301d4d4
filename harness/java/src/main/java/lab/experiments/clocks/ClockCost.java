package lab.experiments.clocks;

import java.util.List;
import lab.Experiment;
import lab.Parameter;
import lab.Trial;
import lab.Workers;

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
        // The clock is made here, not before: the other one's class must not be loaded.
        switch (trial.variant()) {
            case "nano_time" -> read(trial, new TimeSource.NanoTime());
            case "current_time_millis" -> read(trial, new TimeSource.CurrentTimeMillis());
            case "idle" -> watch(trial, new TimeSource.NanoTime());
            case "across" -> compare(trial, new TimeSource.NanoTime(), new TimeSource.NanoTime());
            default -> throw new IllegalArgumentException("no clock for variant " + trial.variant());
        }
    }

    static void read(Trial trial, TimeSource clock) {
        read(trial, new Reads(trial, clock));
    }

    static void read(Trial trial, Reads reads) {
        Workers.platform(trial).run(reads);
        reads.finish();
    }

    static void watch(Trial trial, TimeSource clock) {
        Idle idle = new Idle(trial, clock);
        Workers.platform(trial).run(idle);
        idle.check();
    }

    static void compare(Trial trial, TimeSource asking, TimeSource answering) {
        Across across = new Across(trial, asking, answering);
        Workers.platform(trial).run(across);
        across.check();
    }
}
