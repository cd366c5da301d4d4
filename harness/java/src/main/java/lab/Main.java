package lab;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import lab.experiments.Registry;

/** Runs one trial and prints its JSON object as the last line of standard output, or prints the list. */
public final class Main {
    private static final String HARNESS = "java";
    /** A defect of the harness itself; every foreseen cause has a status of {@link Failure}. */
    private static final int DEFECT = 1;

    private Main() {}

    public static void main(String[] args) {
        int status = run(args, Registry.EXPERIMENTS, Compilations.ofThisProcess(), System.out, System.err);
        System.out.flush();
        System.exit(status);
    }

    /** As a guest of a virtual machine that compiles for others too: nobody looks at that. */
    public static int run(String[] args, List<Experiment> experiments, PrintStream out, PrintStream err) {
        return run(args, experiments, Compilations.UNKNOWN, out, err);
    }

    /** The exit status; never throws. */
    static int run(
            String[] args, List<Experiment> experiments, Compilations compilations, PrintStream out, PrintStream err) {
        try {
            if (args.length == 1 && args[0].equals("--list")) {
                out.println(Json.write(list(experiments)));
                return Failure.MEASURED;
            }
            if (args.length == 1 && args[0].equals("--help")) {
                out.println(Arguments.USAGE);
                return Failure.MEASURED;
            }
            return takePart(Arguments.parse(args, experiments), compilations, out, err);
        } catch (Failure e) {
            err.println("lab: " + e.getMessage().replace('\n', ' '));
            return e.status();
        } catch (OutOfMemoryError e) {
            err.println("lab: memory: " + e.getMessage() + "; raise -Xmx (now "
                    + (Runtime.getRuntime().maxMemory() >> 20) + " MiB) or lower --threads or --iteration-ms");
            return Failure.NO_RESOURCES;
        } catch (Throwable e) {
            StackTraceElement[] where = e.getStackTrace();
            err.println("lab: defect of the harness: " + e + (where.length > 0 ? " at " + where[0] : ""));
            return DEFECT;
        }
    }

    /** The other parts learn of whatever ends this one, before it is told. */
    private static int takePart(Arguments arguments, Compilations compilations, PrintStream out, PrintStream err) {
        int status = DEFECT;
        try {
            status = measure(arguments, compilations, out, err);
        } finally {
            if (status != Failure.MEASURED) {
                arguments.meeting.breakUp();
            }
        }
        return status;
    }

    private static int measure(Arguments arguments, Compilations compilations, PrintStream out, PrintStream err) {
        Clock clock = new Clock();
        Recorder recorder = new Recorder(arguments.out, clock);
        boolean committed = false;
        try {
            Trial trial = new Trial(
                    arguments.experiment,
                    arguments.variant,
                    arguments.parameters,
                    arguments.cpus,
                    arguments.out,
                    arguments.meeting,
                    recorder,
                    Phases.usual(arguments.parameters),
                    compilations);
            touchFirst(arguments.cpus);
            trial.experiment().run(trial);
            recorder.measure(-1, "clock_read", Clock.readCost());
            recorder.checkRange();
            recorder.commit();
            committed = true;
            out.println(Json.write(describe(trial, clock)));
        } finally {
            if (!committed) {
                recorder.discard();
            }
        }
        if (!recorder.passed) {
            err.println("lab: check failed: " + recorder.failedCheck());
            return Failure.CHECK_FAILED;
        }
        return Failure.MEASURED;
    }

    /** With several NUMA nodes, what workers share lies where it is touched first: on the first worker's CPU. */
    private static void touchFirst(int[] cpus) {
        if (cpus.length > 0 && Native.available()) {
            Native.visit(cpus[0]); // a CPU that is refused is refused, with its reason, when a worker is pinned
        }
    }

    private static Map<String, Object> describe(Trial trial, Clock clock) {
        Map<String, Object> json = Json.object(
                "experiment", trial.experiment().name(),
                "variant", trial.variant(),
                "harness", HARNESS,
                "parameters", trial.parameters().values,
                "runtime", RuntimeFacts.read(),
                "clock", Json.object("monotonic_ns", clock.monotonicNanos, "epoch_ms", clock.epochMillis));
        trial.recorder().describe(json);
        return json;
    }

    private static Map<String, Object> list(List<Experiment> experiments) {
        List<Object> described = new ArrayList<>();
        for (Experiment experiment : experiments) {
            List<Object> variants = new ArrayList<>();
            for (Experiment.Variant each : experiment.variants()) {
                variants.add(Json.object("name", each.name(), "supported", each.supported(), "reason", each.reason()));
            }
            List<Object> parameters = new ArrayList<>();
            for (Parameter parameter : experiment.parameters()) {
                parameters.add(parameter.describe());
            }
            described.add(Json.object("name", experiment.name(), "variants", variants, "parameters", parameters));
        }
        return Json.object("harness", HARNESS, "experiments", described);
    }
}
