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
        int sampleEvery = trial.parameters().getInt("sample-every");
        if (trial.variant().equals("readers")) {
            new ReadersKernel(trial, sampleEvery, trial.parameters().getInt("write-pause-us")).run(trial);
        } else {
            AtomicIncrement.measure(trial, kernel(trial, trial.variant(), sampleEvery));
        }
    }

    private static CounterKernel kernel(Trial trial, String variant, int sampleEvery) {
        int threads = trial.threads();
        if (WriterKernels.has(variant)) {
            trial.requireThreads(1, "variant " + variant + " has a single writer and takes 1 thread only");
            return WriterKernels.of(variant, sampleEvery);
        }
        return switch (variant) {
            case "cas_loop" -> new CasLoopKernel(sampleEvery, threads);
            case "get_and_add" -> new GetAndAddKernel(sampleEvery, threads);
            case "reentrant_lock" -> new LockedKernel(sampleEvery, threads);
            default -> throw new IllegalArgumentException("no kernel for variant " + variant);
        };
    }
}
