package lab.experiments.handover;

import java.util.List;
import lab.Experiment;
import lab.Parameter;
import lab.Trial;

/**
 * How long until another thread sees what this one wrote? Two threads play ping-pong over two words; a sample is a
 * single round trip, an operation one way of it.
 *
 * <p>Run, and expect round trips far shorter than those of {@code signalling_latency}, where two CPUs run the threads:
 * <pre>
 * java -jar harness/java/target/lab-harness.jar inter_thread_latency --variant release_acquire --threads 2 \
 *     --warmup 5 --iterations 50 --out /tmp/x.hlog
 * </pre>
 */
public final class InterThreadLatency implements Experiment {
    @Override
    public String name() {
        return "inter_thread_latency";
    }

    @Override
    public List<Variant> variants() {
        return Variant.all("volatile_increment", "atomic_add", "release_acquire", "pipeline");
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.choice("spin", "busy", "hint"),
                Parameter.ofInt("sample-every", 1, 1 << 20, 64),
                Parameter.ofInt("working-set-kib", 1, 1 << 16, 128));
    }

    @Override
    public void run(Trial trial) {
        handover(trial, trial.parameters().getString("spin").equals("hint")).measure(trial);
    }

    private static Handover handover(Trial trial, boolean hint) {
        return switch (trial.variant()) {
            case "volatile_increment" -> new SpinHandover.VolatileIncrement(trial, hint);
            case "atomic_add" -> new SpinHandover.AtomicAdd(trial, hint);
            case "release_acquire" -> new ReleaseAcquire(trial, hint);
            case "pipeline" -> new ReleaseAcquire.Pipeline(trial, hint);
            default -> throw new IllegalArgumentException("no hand-over for variant " + trial.variant());
        };
    }
}
