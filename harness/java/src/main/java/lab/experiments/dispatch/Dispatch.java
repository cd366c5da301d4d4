package lab.experiments.dispatch;

import java.util.List;
import lab.Experiment;
import lab.Parameter;
import lab.Parameters;
import lab.Trial;

/**
 * Does a call site slow down in steps as more implementations of an interface are loaded? An operation is a call.
 *
 * <p>Run, and expect a call to cost more than with {@code --classes 2}, whose two targets are inlined:
 * <pre>
 * java -jar harness/java/target/lab-harness.jar dispatch --variant receivers --classes 4 \
 *     --warmup 5 --iterations 50 --out /tmp/x.hlog
 * </pre>
 */
public final class Dispatch implements Experiment {
    @Override
    public String name() {
        return "dispatch";
    }

    @Override
    public List<Variant> variants() {
        return Variant.all(
                "steps", "receivers", "inlined", "interfaces", "superclass", "arguments", "compile_threshold");
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.ofInt("classes", 1, 8, 1),
                Parameter.ofInt("position", 1, 32, 1),
                Parameter.ofInt("arguments", 0, 6, 0),
                // Calls after which the order of the receivers repeats.
                Parameter.ofInt("period", Receivers.SHORTEST, Receivers.LENGTH, Receivers.LENGTH),
                // Values that the calls map in turn: with one, every call waits for the one before.
                Parameter.choice("chains", "1", Integer.toString(Kernel.CHAINS)),
                Parameter.choice("warmup-style", "short", "long"),
                Parameter.ofInt("loops", 1, 1000, 3),
                // Calls per section of the steps. The posts had 50 million; with 100 sections per class and loop, 200
                // thousand keep a trial below two seconds.
                Parameter.ofInt("operations", 1, Integer.MAX_VALUE, 200_000),
                // Of the order of the receivers.
                Parameter.ofLong("seed", 0, Long.MAX_VALUE, 1));
    }

    @Override
    public void run(Trial trial) {
        Parameters given = trial.parameters();
        String variant = trial.variant();
        trial.requireThreads(1, "must be 1: a call site has one caller");
        String style = given.getString("warmup-style");
        if (style.equals("long") && !variant.equals("receivers")) {
            throw given.refused("warmup-style", "only variant receivers has a loop for it");
        }
        String chains = given.getString("chains");
        boolean hasChains = variant.equals("inlined") || variant.equals("receivers") && !style.equals("long");
        if (!chains.equals("1") && !hasChains) {
            throw given.refused("chains", "only variants inlined and receivers (short) have a loop for it");
        }
        given.getPowerOfTwo("period");
        switch (variant) {
            case "steps" -> Steps.measure(trial);
            case "compile_threshold" -> CompileThreshold.measure(trial);
            default -> CallSites.measure(trial);
        }
    }
}
