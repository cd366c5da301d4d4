package lab;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The command line of a trial, checked completely before anything is measured or written. */
final class Arguments {
    static final String USAGE = "usage: EXPERIMENT --variant V [--threads N] [--cpus 0,1] --warmup W --iterations I"
            + " [--iteration-ms M] [--NAME VALUE ...] [--meet FILE --part I/N] --out FILE.hlog, or --list";

    private static final Parameter THREADS = Parameter.ofInt("threads", 1, 1024, 1);
    private static final Parameter WARMUP = Parameter.requiredInt("warmup", 0, 100_000);
    private static final Parameter ITERATIONS = Parameter.requiredInt("iterations", 1, 100_000);
    private static final Parameter ITERATION_MS = Parameter.ofInt("iteration-ms", 1, 60_000, 5);

    final Experiment experiment;
    final String variant;
    final Parameters parameters = new Parameters();
    final int[] cpus;
    final Path out;
    final Meeting meeting;

    private Arguments(Experiment experiment, Map<String, String> given, Meeting meeting) {
        this.experiment = experiment;
        this.meeting = meeting;
        variant = variant(experiment, take(given, "variant"));
        parameters.put("threads", value(THREADS, given));
        cpus = cpus(given.remove("cpus"));
        parameters.put("cpus", cpus);
        parameters.put("warmup", value(WARMUP, given));
        parameters.put("iterations", value(ITERATIONS, given));
        parameters.put("iteration-ms", value(ITERATION_MS, given));
        if (meeting.parts() > 1) {
            parameters.put("part", meeting.name());
        }
        out = out(take(given, "out"));
        for (Parameter declared : experiment.parameters()) {
            parameters.put(declared.name(), value(declared, given));
        }
        for (Map.Entry<String, String> unknown : given.entrySet()) {
            throw Failure.argument(
                    "--" + unknown.getKey(),
                    unknown.getValue(),
                    "not an argument of " + experiment.name() + "; it has " + accepted(experiment));
        }
    }

    /** Parses {@code EXPERIMENT --NAME VALUE ...}; a {@link Failure} of status 2 or 3 names what is wrong. */
    static Arguments parse(String[] args, List<Experiment> experiments) {
        if (args.length == 0) {
            throw Failure.usage(USAGE);
        }
        List<String> names = new ArrayList<>();
        for (Experiment each : experiments) {
            if (each.name().equals(args[0])) {
                return parse(each, options(args));
            }
            names.add(each.name());
        }
        throw Failure.argument("experiment", args[0], "must be one of " + String.join(", ", names));
    }

    /** The page first: whatever else is wrong, the other parts learn of it. */
    private static Arguments parse(Experiment experiment, Map<String, String> given) {
        Meeting meeting = Meeting.of(given.remove("meet"), given.remove("part"));
        try {
            return new Arguments(experiment, given, meeting);
        } catch (Failure e) {
            meeting.breakUp();
            throw e;
        }
    }

    private static Map<String, String> options(String[] args) {
        Map<String, String> given = new LinkedHashMap<>();
        for (int i = 1; i < args.length; i += 2) {
            if (!args[i].startsWith("--") || args[i].length() == 2) {
                throw Failure.argument("argument", args[i], "arguments come as --NAME VALUE");
            }
            if (i + 1 == args.length) {
                throw Failure.argument(args[i], "", "its value is missing");
            }
            if (given.put(args[i].substring(2), args[i + 1]) != null) {
                throw Failure.argument(args[i], args[i + 1], "given twice");
            }
        }
        return given;
    }

    private static String take(Map<String, String> given, String name) {
        String value = given.remove(name);
        if (value == null) {
            throw Failure.usage("--" + name + " is missing; " + USAGE);
        }
        return value;
    }

    private static Object value(Parameter parameter, Map<String, String> given) {
        if (parameter.fallback == null) {
            return parameter.parse(take(given, parameter.name()));
        }
        String text = given.remove(parameter.name());
        return text == null ? parameter.fallback : parameter.parse(text);
    }

    private static String variant(Experiment experiment, String name) {
        List<String> names = new ArrayList<>();
        for (Experiment.Variant each : experiment.variants()) {
            if (each.name().equals(name)) {
                if (!each.supported()) {
                    throw Failure.unsupported(name + " is not supported: " + each.reason());
                }
                return name;
            }
            names.add(each.name());
        }
        throw Failure.argument("--variant", name, "must be one of " + String.join(", ", names));
    }

    private static int[] cpus(String text) {
        if (text == null) {
            return new int[0];
        }
        String[] parts = text.split(",", -1);
        int[] cpus = new int[parts.length];
        String online = Native.onlineCpus();
        for (int i = 0; i < parts.length; i++) {
            try {
                cpus[i] = Integer.parseUnsignedInt(parts[i]);
            } catch (NumberFormatException e) {
                throw Failure.argument("--cpus", text, "must be CPU numbers separated by commas, as 0,1");
            }
            if (!online.isEmpty() && !contains(online, cpus[i])) {
                throw Failure.argument("--cpus", text, "there is no CPU " + parts[i] + "; online are " + online);
            }
        }
        Native.require("--cpus " + text);
        return cpus;
    }

    /** Whether a list in the kernel's notation, as {@code 0-3,6}, contains the CPU. */
    static boolean contains(String list, int cpu) {
        for (String range : list.split(",")) {
            int dash = range.indexOf('-');
            int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
            int last = dash < 0 ? first : Integer.parseInt(range.substring(dash + 1));
            if (first <= cpu && cpu <= last) {
                return true;
            }
        }
        return false;
    }

    private static Path out(String text) {
        Path out;
        try {
            out = Path.of(text).toAbsolutePath();
        } catch (InvalidPathException e) {
            throw Failure.argument("--out", text, "is not a file name");
        }
        if (text.isEmpty() || Files.isDirectory(out)) {
            throw Failure.argument("--out", text, "must name a file, not a directory");
        }
        if (Files.exists(out) && !Files.isRegularFile(out)) {
            throw Failure.argument("--out", text, "must name a file, not a device, pipe or socket");
        }
        if (!Files.isDirectory(out.getParent())) {
            throw Failure.argument("--out", text, "the directory " + out.getParent() + " does not exist");
        }
        return out;
    }

    private static String accepted(Experiment experiment) {
        StringBuilder names = new StringBuilder("--variant, --threads, --cpus, --warmup, --iterations, --iteration-ms");
        for (Parameter each : experiment.parameters()) {
            names.append(", --").append(each.name());
        }
        return names.append(", --meet, --part, --out").toString();
    }
}
