package lab.experiments.signalling;

import java.util.List;
import lab.Experiment;
import lab.Parameter;
import lab.Trial;
import lab.experiments.handover.Handover;
import lab.experiments.handover.ReleaseAcquire;

/**
 * What does it cost to wake another thread? The ping-pong of {@link Handover} with threads that sleep while they wait;
 * the spinning hand-over is the reference.
 *
 * <p>Run, and expect round trips far longer than of {@code spin}, where two CPUs run the threads:
 * <pre>
 * java -jar harness/java/target/lab-harness.jar signalling_latency --variant condition --threads 2 \
 *     --warmup 5 --iterations 50 --out /tmp/x.hlog
 * </pre>
 */
public final class SignallingLatency implements Experiment {
    @Override
    public String name() {
        return "signalling_latency";
    }

    @Override
    public List<Variant> variants() {
        return Variant.all("condition", "monitor", "park", "synchronous_queue", "exchanger", "spin");
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.ofInt("sample-every", 1, 1 << 20, 1));
    }

    @Override
    public void run(Trial trial) {
        handover(trial).measure(trial);
    }

    private static Handover handover(Trial trial) {
        return switch (trial.variant()) {
            case "condition" -> new Signal.ByCondition();
            case "monitor" -> new Signal.ByMonitor();
            case "park" -> new Signal.ByPark();
            case "synchronous_queue" -> new Signal.BySynchronousQueue();
            case "exchanger" -> new Signal.ByExchanger();
            case "spin" -> new ReleaseAcquire(trial, false);
            default -> throw new IllegalArgumentException("no hand-over for variant " + trial.variant());
        };
    }
}
