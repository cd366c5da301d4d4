package lab.experiments.counters;

import java.util.List;
import lab.Experiment;
import lab.Parameter;
import lab.Trial;

/**
 * What does a counter cost that only one thread writes, beside one that several might, and what do its readers pay? One
 * operation is one increment, or in {@code readers} one read; the last of every {@code sample-every} is timed.
 *
 * <p>Run, and expect less than of {@code volatile}, which on x86 has a fence after every store:
 * <pre>
 * java -jar harness/java/target/lab-harness.jar single_writer --variant release \
 *     --warmup 5 --iterations 50 --out /tmp/x.hlog
 * </pre>
 */
public final class SingleWriter implements Experiment {
    @Override
    public String name() {
        return "single_writer";
    }

    @Override
    public List<Variant> variants() {
        return Variant.all(
                "folded",
                "plain",
                "opaque",
                "release",
                "volatile",
                "release_store",
                "volatile_store",
                "cas_loop",
                "get_and_add",
                "reentrant_lock",
                "readers");
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.ofInt("sample-every", 1, 1 << 20, 1024), Parameter.ofInt("write-pause-us", 0, 1_000_000, 10));
    }

    @Override
    public void run(Trial trial) {
        if (trial.variant().equals("readers")) {
            new ReadersKernel(trial).run(trial);
        } else {
            kernel(trial).measure(trial);
        }
    }

    private static CounterKernel kernel(Trial trial) {
        return switch (trial.variant()) {
            case "cas_loop" -> new CasLoopKernel();
            case "get_and_add" -> new GetAndAddKernel();
            case "reentrant_lock" -> new WriterKernels.Locked();
            default -> {
                trial.requireThreads(1, "variant " + trial.variant() + " has a single writer and takes 1 thread only");
                yield WriterKernels.of(trial.variant());
            }
        };
    }
}
