package lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trials in which something is compiled where the test says so. */
class SettlingTest {
    private static final int WARMUP = 2;
    private static final int ITERATIONS = 3;

    @TempDir
    Path folder;

    /** Counters that a test moves. */
    private static final class Moved extends Compilations {
        private volatile long count = 100;

        Moved() {
            super(ByteBuffer.allocate(0));
        }

        @Override
        boolean known() {
            return true;
        }

        @Override
        long count() {
            return count;
        }

        @Override
        long nanos() {
            return 0;
        }

        @Override
        String last() {
            return "lab.Kernel::run";
        }
    }

    private Harness.Result run(Compilations compilations, int millis, Consumer<Trial> script) {
        String line =
                "scripted --variant v --warmup " + WARMUP + " --iterations " + ITERATIONS + " --iteration-ms " + millis;
        List<String> args = Harness.words(line, folder.resolve("o.hlog"));
        return Harness.run(List.of(new Scripted(script)), compilations, args.toArray(new String[0]));
    }

    /** A body in whose iterations of those numbers something is compiled; each lasts a moment. */
    private static Workers.Body compiling(Moved moved, Set<Integer> iterations) {
        return (worker, from, to) -> {
            for (int iteration = from; iteration < to; iteration++) {
                worker.begin(iteration);
                if (iterations.contains(iteration)) {
                    moved.count++;
                }
                worker.end(System.nanoTime(), 1);
            }
        };
    }

    private static List<String> phases(Harness.Result result) {
        List<String> phases = new ArrayList<>();
        for (JsonNode phase : result.json().get("iterations").get("phase")) {
            phases.add(phase.asText());
        }
        return phases;
    }

    private Harness.Result compiled(int millis, Set<Integer> iterations) {
        Moved moved = new Moved();
        return run(moved, millis, trial -> Workers.platform(trial).run(compiling(moved, iterations)));
    }

    @Test
    void withoutCompilationsATrialHasWhatItWasAskedFor() {
        Harness.Result result = compiled(20, Set.of());
        assertEquals(List.of("warmup", "warmup", "measured", "measured", "measured"), phases(result));
        assertEquals(List.of(0.0), result.measures("warmup_added"));
        assertEquals(List.of(0.0), result.measures("iterations_again"));
        assertEquals(List.of(1.0), result.measures("compiler_idle"));
        assertEquals(List.of(), result.measures("compilations"));
    }

    /** After the last compilation in it, in #1 and then in #3, at least 50 ms of iterations of 20. */
    @Test
    void aWarmUpGoesOnUntilNothingIsCompiled() {
        Harness.Result result = compiled(20, Set.of(1, 3));
        assertEquals(
                List.of(
                        "warmup",
                        "warmup",
                        "warmup",
                        "warmup",
                        "warmup",
                        "warmup",
                        "warmup",
                        "measured",
                        "measured",
                        "measured"),
                phases(result));
        assertEquals(List.of(5.0), result.measures("warmup_added"));
        assertEquals(List.of(1.0), result.measures("compiler_idle"));
        assertEquals(List.of(1.0, 1.0), result.measures("compilations"));
    }

    @Test
    void aWarmUpEndsSomewhereAndTheTrialSaysSo() {
        Moved moved = new Moved();
        Harness.Result result = run(moved, 100, trial -> Workers.platform(trial).run((worker, from, to) -> {
            worker.begin(from);
            moved.count += trial.measured(from) ? 0 : 1;
            worker.end(System.nanoTime(), 1);
        }));
        assertEquals(WARMUP + 2 + ITERATIONS, phases(result).size());
        assertEquals(List.of(2.0), result.measures("warmup_added"));
        assertEquals(List.of(0.0), result.measures("compiler_idle"));
    }

    @Test
    void anIterationInWhichSomethingIsCompiledIsToldApartAndMadeAgain() {
        Harness.Result result = compiled(60, Set.of(3, 4));
        assertEquals(
                List.of("warmup", "warmup", "measured", "compiled", "compiled", "measured", "measured"),
                phases(result));
        assertEquals(List.of(2.0), result.measures("iterations_again"));
        assertEquals(
                "lab.Kernel::run",
                result.json().get("measures").get("series").get(0).asText());
    }

    /** As many again as were asked for; what is compiled beyond that stays measured, and is told. */
    @Test
    void makingAgainEndsSomewhere() {
        Harness.Result result = compiled(60, Set.of(2, 3, 4, 5, 6, 7, 8));
        assertEquals(
                List.of("warmup", "warmup", "compiled", "compiled", "compiled", "measured", "measured", "measured"),
                phases(result));
        assertEquals(List.of(3.0), result.measures("iterations_again"));
        assertEquals(6, result.measures("compilations").size());
    }

    @Test
    void whatIsFixedIsOnlyTold() {
        Moved moved = new Moved();
        Harness.Result result =
                run(moved, 20, trial -> Workers.platform(trial).fixed().run(compiling(moved, Set.of(1, 3))));
        assertEquals(List.of("warmup", "warmup", "measured", "measured", "measured"), phases(result));
        assertEquals(List.of(1.0, 1.0), result.measures("compilations"));
        assertEquals(List.of(), result.measures("compiler_idle"));
    }

    @Test
    void whatNobodyCountsIsNotTold() {
        Harness.Result result = run(
                Compilations.UNKNOWN, 20, trial -> Workers.platform(trial).run(compiling(new Moved(), Set.of(1, 3))));
        assertEquals(WARMUP + ITERATIONS, phases(result).size());
        assertEquals(List.of(), result.measures("compiler_idle"));
    }
}
