package lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import lab.experiments.Registry;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;

/** Runs the harness as its main method would, and reads back what it leaves. */
public final class Harness {
    /**
     * What a test waits for at most: far longer than a busy host keeps anything from happening. A test that passes
     * never comes near it.
     */
    public static final Duration PATIENCE = Duration.ofMinutes(10);

    private Harness() {}

    /** What a trial gave. */
    public record Result(int status, String out, String err) {
        /** The JSON object: the last line of standard output, read by a parser that is not ours. */
        public JsonNode json() {
            String[] lines = out.split("\n");
            try {
                return new ObjectMapper().readTree(lines[lines.length - 1]);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** The values of one measure, in order. */
        public List<Double> measures(String name) {
            JsonNode measures = json().get("measures");
            List<Double> values = new ArrayList<>();
            for (int i = 0; i < measures.get("name").size(); i++) {
                if (measures.get("name").get(i).asText().equals(name)) {
                    values.add(measures.get("value").get(i).asDouble());
                }
            }
            return values;
        }
    }

    /** The words of a command line, divided by blanks; then {@code --out}, which may hold blanks; then the others. */
    public static List<String> words(String line, Path out, String... others) {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        words.addAll(List.of("--out", out.toString()));
        words.addAll(List.of(others));
        return words;
    }

    /** The same with other values of some arguments, each named before its value; those that it did not have follow. */
    public static String[] changed(List<String> words, String... changes) {
        List<String> changed = new ArrayList<>(words);
        for (int i = 0; i < changes.length; i += 2) {
            int at = changed.indexOf(changes[i]);
            if (at >= 0) {
                changed.set(at + 1, changes[i + 1]);
            } else {
                changed.addAll(List.of(changes[i], changes[i + 1]));
            }
        }
        return changed.toArray(new String[0]);
    }

    /** Runs a registered experiment. */
    public static Result run(String... args) {
        return run(Registry.EXPERIMENTS, args);
    }

    /** Runs one of the given experiments. */
    public static Result run(List<Experiment> experiments, String... args) {
        return run(experiments, Compilations.UNKNOWN, args);
    }

    /** The same in a virtual machine that has compiled what the test says. */
    static Result run(List<Experiment> experiments, Compilations compilations, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = Main.run(args, experiments, compilations, new PrintStream(out, true), new PrintStream(err, true));
        return new Result(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /**
     * Tries again until that has happened which a busy host may keep from happening, two threads that meet for one: the
     * last result, of which the test then asserts what must be.
     */
    public static Result until(Predicate<Result> happened, Supplier<Result> attempt) {
        long begun = System.nanoTime();
        Result result;
        do {
            result = attempt.get();
        } while (!happened.test(result) && System.nanoTime() - begun < PATIENCE.toNanos());
        return result;
    }

    /** The same until a trial ends with a status. */
    public static Result until(int status, Supplier<Result> attempt) {
        return until(result -> result.status() == status, attempt);
    }

    /** The histograms of a log, in order. */
    public static List<Histogram> log(Path file) throws IOException {
        List<Histogram> histograms = new ArrayList<>();
        try (HistogramLogReader reader = new HistogramLogReader(new File(file.toString()))) {
            while (reader.hasNext()) {
                histograms.add((Histogram) reader.nextIntervalHistogram());
            }
        }
        return histograms;
    }
}
