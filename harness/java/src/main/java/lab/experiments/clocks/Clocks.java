package lab.experiments.clocks;

import lab.Trial;
import lab.Workers;

/** Which loop reads which clock in each variant. */
final class Clocks {
    private Clocks() {}

    /** Runs the trial's variant. The clock is made here, not before: the other one's class must not be loaded. */
    static void measure(Trial trial) {
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
