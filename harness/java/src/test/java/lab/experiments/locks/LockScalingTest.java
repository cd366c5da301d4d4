package lab.experiments.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import lab.Experiment;
import lab.Harness;
import lab.Scripted;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockScalingTest {
    private static final int SAMPLE_EVERY = 16;
    private static final int WINDOW = 64;

    @TempDir
    Path folder;

    private String[] args(String experiment, String variant, int threads, String style) {
        String line = experiment + " --variant " + variant + " --threads " + threads
                + " --warmup 1 --iterations 3 --iteration-ms 1 --sample-every " + SAMPLE_EVERY
                + " --window " + WINDOW + " --warmup-style " + style;
        return Harness.words(line, out()).toArray(new String[0]);
    }

    private Path out() {
        return folder.resolve("o.hlog");
    }

    static Stream<String> supported() {
        return new LockScaling()
                .variants().stream().filter(Experiment.Variant::supported).map(Experiment.Variant::name);
    }

    @ParameterizedTest
    @MethodSource("supported")
    void rowsMatchTheLog(String variant) throws IOException {
        // Oversubscribed on a small machine, where the barrier has to give way.
        int threads = variant.equals("no_lock") ? 1 : 5;
        for (String style : List.of("short", "long")) {
            Harness.Result result = Harness.run(args("lock_scaling", variant, threads, style));
            assertEquals(0, result.status(), result.err());
            JsonNode rows = result.json().get("iterations");
            List<Histogram> log = Harness.log(out());
            assertEquals(4 * threads, log.size());
            assertEquals(4 * threads, rows.get("iteration").size());
            for (int row = 0; row < log.size(); row++) {
                assertEquals(row / threads, rows.get("iteration").get(row).asInt());
                assertEquals("t" + row % threads, rows.get("series").get(row).asText());
                assertEquals(rows.get("series").get(row).asText(), log.get(row).getTag());
                assertEquals(
                        rows.get("operations").get(row).asLong(),
                        SAMPLE_EVERY * log.get(row).getTotalCount());
                assertTrue(rows.get("operations").get(row).asLong() > 0);
            }
            assertEquals(4, result.measures("gini").size());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"monitor", "monitor_virtual", "reentrant_lock", "reentrant_lock_virtual", "reentrant_lock_fair"})
    void workOutsideIsDoneAndTimed(String variant) {
        Assumptions.assumeTrue(supported().anyMatch(variant::equals));
        for (String law : List.of("constant", "exponential")) {
            String[] line = Stream.concat(
                            Stream.of(args("lock_scaling", variant, 2, "short")),
                            Stream.of("--outside", "2000", "--outside-law", law))
                    .toArray(String[]::new);
            Harness.Result result = Harness.run(line);
            assertEquals(0, result.status(), result.err());
            assertEquals(
                    "sum of the adds outside",
                    result.json().get("checks").get(1).get("name").asText());
            assertTrue(
                    !result.json().get("checks").get(1).get("expected").asText().equals("0"));
            List<Double> pieces = result.measures("timed_operations");
            assertEquals(4, pieces.size());
            assertEquals(4, result.measures("outside_ns").size());
            assertEquals(4, result.measures("outside_mean_ns").size());
            assertEquals(4, result.measures("lock_mean_ns").size());
            long operations = 0;
            for (JsonNode each : result.json().get("iterations").get("operations")) {
                operations += each.asLong();
            }
            assertEquals(
                    operations,
                    SAMPLE_EVERY * pieces.stream().mapToDouble(each -> each).sum());
        }
    }

    @Test
    void workOutsideNeedsALockThatHasIt() {
        String[] line = Stream.concat(
                        Stream.of(args("lock_scaling", "atomic", 2, "short")), Stream.of("--outside", "100"))
                .toArray(String[]::new);
        Harness.Result result = Harness.run(line);
        assertEquals(2, result.status());
        assertTrue(result.err().contains("--outside"), result.err());
    }

    @Test
    void oneThreadOwnsTheWholeWindow() {
        Harness.Result result = Harness.run(args("lock_scaling", "monitor", 1, "short"));
        assertEquals(List.of(0.0, 0.0, 0.0, 0.0), result.measures("gini"));
        assertEquals(WINDOW, result.measures("window_operations").get(0));
        assertEquals(1.0, result.measures("owner_runs").get(0));
        assertEquals(List.of(), result.measures("reacquire_operations"));
    }

    @Test
    void lostUpdateIsReported() {
        Experiment unlocked = Scripted.inPlaceOf(
                new LockScaling(),
                trial -> LockScaling.measure(trial, new BrokenKernel(WINDOW, SAMPLE_EVERY), new Outside[0]));
        Harness.Result result =
                Harness.until(4, () -> Harness.run(List.of(unlocked), args("scripted", "v", 2, "short")));
        assertEquals(4, result.status());
        assertTrue(result.err().contains("counter equals increments"), result.err());
        JsonNode check = result.json().get("checks").get(0);
        assertFalse(check.get("passed").asBoolean());
        List<Long> operations = new ArrayList<>();
        result.json().get("iterations").get("operations").forEach(each -> operations.add(each.asLong()));
        assertEquals(
                operations.stream().mapToLong(Long::longValue).sum(),
                check.get("expected").asLong());
        assertTrue(check.get("actual").asLong() < check.get("expected").asLong());
    }
}
