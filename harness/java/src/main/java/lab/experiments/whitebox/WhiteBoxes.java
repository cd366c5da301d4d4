package lab.experiments.whitebox;

import java.util.List;
import lab.Experiment;
import lab.Parameter;
import lab.Trial;

/**
 * What HotSpot's interface for tests shows that timing alone cannot: when an object is promoted, what a call costs at
 * each tier, what inflates a lock. It needs a virtual machine that was started for it.
 *
 * <p>Run, and expect 5 {@code collections} in each iteration:
 * <pre>
 * java -Xbootclasspath/a:harness/java/target/lab-whitebox.jar -XX:+UnlockDiagnosticVMOptions -XX:+WhiteBoxAPI \
 *     -XX:+DisplayVMOutputToStderr -XX:MaxTenuringThreshold=4 -jar harness/java/target/lab-harness.jar \
 *     whitebox --variant promotion --threshold 4 --warmup 1 --iterations 5 --out /tmp/x.hlog 2&gt; /dev/null
 * </pre>
 */
public final class WhiteBoxes implements Experiment {
    @Override
    public String name() {
        return "whitebox";
    }

    @Override
    public List<Variant> variants() {
        return Variant.all("promotion", "call", "lock", "flags");
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                // What the flag of the collector is set to, as the virtual machine was told.
                Parameter.ofInt("threshold", 0, 15, 15),
                // The compilation level of the calls.
                Parameter.ofInt("tier", 0, Tiers.HIGHEST, Tiers.HIGHEST),
                // Of the receivers of the calls.
                Parameter.ofInt("classes", 1, 3, 1),
                // What is done with the object before its lock is timed.
                Parameter.choice("cause", Causes.NAMES));
    }

    @Override
    public void run(Trial trial) {
        trial.requireThreads(1, "must be 1: one thread asks");
        switch (trial.variant()) {
            case "promotion" -> Promotion.measure(trial);
            case "call" -> Calls.measure(trial);
            case "lock" -> Locks.measure(trial);
            default -> Flags.measure(trial);
        }
    }
}
