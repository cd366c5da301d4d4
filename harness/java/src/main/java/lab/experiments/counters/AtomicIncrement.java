package lab.experiments.counters;

import java.util.List;
import lab.Experiment;
import lab.Parameter;
import lab.Trial;
import lab.Workers;

/**
 * What does one shared counter cost without a lock, as threads are added? One operation adds 1 and is complete when
 * the counter holds it; the last of every {@code sample-every} is timed and is the sample.
 *
 * <p>Run, and expect an operation to take longer than with {@code --threads 1}, and longer still as {@code cas_loop}:
 * <pre>
 * java -jar harness/java/target/lab-harness.jar atomic_increment --variant get_and_add --threads 2 \
 *     --warmup 5 --iterations 50 --out /tmp/x.hlog
 * </pre>
 */
public final class AtomicIncrement implements Experiment {
    @Override
    public String name() {
        return "atomic_increment";
    }

    @Override
    public List<Variant> variants() {
        return Variant.all("get_and_add", "increment_and_get", "cas_loop", "get_then_add", "long_adder");
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.ofInt("sample-every", 1, 1 << 20, 1024));
    }

    @Override
    public void run(Trial trial) {
        measure(trial, kernel(trial.variant(), trial.parameters().getInt("sample-every"), trial.threads()));
    }

    private static CounterKernel kernel(String variant, int sampleEvery, int threads) {
        return switch (variant) {
            case "get_and_add" -> new GetAndAddKernel(sampleEvery, threads);
            case "increment_and_get" -> new IncrementAndGetKernel(sampleEvery, threads);
            case "cas_loop" -> new CasLoopKernel(sampleEvery, threads);
            case "get_then_add" -> new GetThenAddKernel(sampleEvery, threads);
            case "long_adder" -> new LongAdderKernel(sampleEvery, threads);
            default -> throw new IllegalArgumentException("no kernel for variant " + variant);
        };
    }

    /** Runs the kernel, leaves its events of every iteration, and checks that no increment was lost. */
    static void measure(Trial trial, CounterKernel kernel) {
        Increments increments = new Increments(trial, kernel);
        Workers.platform(trial).afterIteration(increments).run(kernel);
        trial.recorder().check("counter equals increments", increments.sum, kernel.value());
    }

    /** Adds up what the workers say they did. */
    private static final class Increments implements Workers.AfterIteration {
        private final Trial trial;
        private final CounterKernel kernel;
        private long sum;

        Increments(Trial trial, CounterKernel kernel) {
            this.trial = trial;
            this.kernel = kernel;
        }

        @Override
        public void ended(int iteration, long[] operations) {
            for (long each : operations) {
                sum += each;
            }
            if (!kernel.event().isEmpty()) {
                trial.recorder().measure(iteration, "", kernel.event(), kernel.events());
            }
        }
    }
}
