package lab.experiments.counters;

import java.util.List;
import lab.Experiment;
import lab.Parameter;
import lab.Trial;

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
        kernel(trial.variant()).measure(trial);
    }

    private static CounterKernel kernel(String variant) {
        return switch (variant) {
            case "get_and_add" -> new GetAndAddKernel();
            case "increment_and_get" -> new IncrementAndGetKernel();
            case "cas_loop" -> new CasLoopKernel();
            case "get_then_add" -> new GetThenAddKernel();
            case "long_adder" -> new LongAdderKernel();
            default -> throw new IllegalArgumentException("no kernel for variant " + variant);
        };
    }
}
