package lab.experiments.gc;

import java.util.List;
import lab.Experiment;
import lab.Failure;
import lab.Parameter;
import lab.Parameters;
import lab.Trial;

/**
 * How long is a program that allocates modestly kept waiting, under the collector of this virtual machine? Operations
 * are due at fixed times. Series {@code late} holds the nanoseconds from when one was due to its completion, so that
 * whatever keeps the thread waiting counts for everything that was due meanwhile; {@code service} those from when it
 * really began, which is what a measurement that waits for each answer would show.
 *
 * <p>Run, and expect a maximum of {@code late} that is about the longest pause in the log of the collector:
 * <pre>
 * java -Xms256m -Xmx256m -XX:+UseG1GC -Xlog:safepoint -jar harness/java/target/lab-harness.jar gc_pause \
 *     --variant paced --warmup 6 --iterations 16 --iteration-ms 100 --out /tmp/x.hlog
 * </pre>
 */
public final class GcPause implements Experiment {
    private static final int MOST_BYTES = 1 << 20;
    private static final int MOST_MIB = 1 << 16;

    /** Makes what a trial's operations do. */
    interface Program {
        Garbage of(Parameters parameters);
    }

    @Override
    public String name() {
        return "gc_pause";
    }

    @Override
    public List<Variant> variants() {
        return Variant.all("paced");
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                // Below the shortest pause that is asked for, or it would fall between two operations.
                Parameter.ofInt("period-us", 1, 1_000_000, 10),
                Parameter.ofInt("bytes-per-operation", 0, MOST_BYTES, 2000),
                // Of so many arrays one lives until the live set has been replaced.
                Parameter.ofInt("keep-every", 1, 1_000_000, 50),
                Parameter.ofInt("live-mb", 1, MOST_MIB, 32),
                // What the flags of the virtual machine have to have brought about; 0 and any: whatever they have.
                Parameter.ofInt("heap", 0, MOST_MIB, 0),
                Parameter.ofInt("young", 0, MOST_MIB, 0),
                Parameter.choice("collector", "any", "serial", "parallel", "g1", "zgc", "shenandoah", "epsilon"));
    }

    @Override
    public void run(Trial trial) {
        measure(trial, Garbage::new);
    }

    /** Runs the trial with operations of one kind, and checks what they did. */
    static void measure(Trial trial, Program program) {
        trial.requireThreads(1, "must be 1");
        if (Runtime.getRuntime().availableProcessors() < 2) {
            throw Failure.unsupported("a collector that works while a thread runs needs a second CPU; there is one");
        }
        Paced paced = new Paced(trial, program);
        paced.run();
        paced.check();
    }
}
