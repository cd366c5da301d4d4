package lab.experiments.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
    private static final int LOG = 1 << 12;

    @TempDir
    Path folder;

    private String[] args(String experiment, String variant, int threads, String style) {
        String line = experiment + " --variant " + variant + " --threads " + threads
                + " --warmup 1 --iterations 3 --iteration-ms 1 --sample-every " + SAMPLE_EVERY
                + " --warmup-style " + style;
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
                assertEquals(0, log.get(row).getTotalCount(), "no operation is timed");
                assertTrue(rows.get("operations").get(row).asLong() > 0);
            }
            assertEquals(4, result.measures("gini").size());
        }
    }

    private String[] outside(String variant, String... more) {
        String[] line = args("lock_scaling", variant, 2, "short");
        line[Arrays.asList(line).indexOf("--sample-every") + 1] = "1";
        return Stream.concat(Stream.of(line), Stream.of(more)).toArray(String[]::new);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"monitor", "monitor_virtual", "reentrant_lock", "reentrant_lock_virtual", "reentrant_lock_fair"})
    void workOutsideIsDoneAndTimed(String variant) {
        Assumptions.assumeTrue(supported().anyMatch(variant::equals));
        for (String law : List.of("constant", "exponential")) {
            String[] line = outside(variant, "--outside", "2000", "--outside-law", law, "--log", "512");
            Harness.Result result = Harness.run(line);
            assertEquals(0, result.status(), result.err());
            assertEquals(
                    "sum of the adds outside",
                    result.json().get("checks").get(1).get("name").asText());
            assertTrue(
                    !result.json().get("checks").get(1).get("expected").asText().equals("0"));
            List<Double> pieces = result.measures("timed_operations");
            assertEquals(4, pieces.size());
            double runs = result.measures("owner_runs").stream()
                    .mapToDouble(each -> each)
                    .sum();
            double all = result.measures("window_operations").stream()
                    .mapToDouble(each -> each)
                    .sum();
            assertTrue(runs >= 8 && runs <= all, "each thread begins a run in each iteration at least");
            assertEquals(4, result.measures("outside_ns").size());
            assertEquals(4, result.measures("outside_mean_ns").size());
            assertEquals(4, result.measures("lock_mean_ns").size());
            long operations = 0;
            JsonNode rows = result.json().get("iterations");
            List<String> others = new ArrayList<>();
            for (int row = 0; row < rows.get("series").size(); row++) {
                String series = rows.get("series").get(row).asText();
                if (series.startsWith("t")) {
                    operations += rows.get("operations").get(row).asLong();
                } else {
                    others.add(series);
                }
            }
            assertEquals(operations, all);
            assertEquals(operations, pieces.stream().mapToDouble(each -> each).sum());
            assertTrue(List.of("service_free", "service_queued").containsAll(others), others.toString());
        }
    }

    @Test
    void workOutsideNeedsALockThatHasIt() {
        Harness.Result result = Harness.run(outside("atomic", "--outside", "100"));
        assertEquals(2, result.status());
        assertTrue(result.err().contains("--outside"), result.err());
    }

    @Test
    void withWorkOutsideEveryOperationIsTimed() {
        String[] line = Stream.concat(
                        Stream.of(args("lock_scaling", "monitor", 2, "short")), Stream.of("--outside", "100"))
                .toArray(String[]::new);
        Harness.Result result = Harness.run(line);
        assertEquals(2, result.status());
        assertTrue(result.err().contains("--sample-every"), result.err());
    }

    @Test
    void oneThreadChangesNoOwner() {
        Harness.Result result = Harness.run(
                Stream.concat(Stream.of(args("lock_scaling", "monitor", 1, "short")), Stream.of("--log", "16"))
                        .toArray(String[]::new));
        assertEquals(List.of(0.0, 0.0, 0.0, 0.0), result.measures("gini"));
        assertEquals(List.of(), result.measures("owner_runs"));
    }

    private Harness.Result scheduled(int... lengths) {
        Experiment given = Scripted.inPlaceOf(new LockScaling(), trial -> {
            OwnerLog[] logs = OwnerLogs.of(trial, trial.parameters().getInt("log"));
            LockScaling.measure(trial, new ScheduledKernel(logs, lengths), new Outside[0], logs);
        });
        String line = "scripted --variant v --threads 2 --warmup 1 --iterations 3 --iteration-ms 2 --log " + LOG;
        return Harness.run(List.of(given), Harness.words(line, out()).toArray(new String[0]));
    }

    @Test
    void aScheduledLockComesBackAsItWasMade() throws IOException {
        Harness.Result result = scheduled(40, 3);
        assertEquals(0, result.status(), result.err());
        // Of the iterations 0 (warm-up) to 3 those of even numbers are logged, and warm-up is not told.
        // Of the runs the first, when thread 1 has not been in, and the last, which has no end, do not count.
        int each = ScheduledKernel.RUNS / 2 - 1;
        double operations = each * 43.0;
        assertEquals(List.of(2.0 * each), result.measures("owner_runs"));
        assertEquals(List.of(operations), result.measures("window_operations"));
        // Thread 0 comes back after 3 operations of the other as often as thread 1 after 40.
        assertEquals(List.of(21.5), result.measures("reacquire_operations"));
        assertTrue(result.measures("log_ns").get(0) >= 2 * each * ScheduledKernel.HAND_OVER_NANOS);
        Histogram owned = histogram("owned");
        assertEquals(each, owned.getCountAtValue(40));
        assertEquals(each, owned.getCountAtValue(3));
        assertEquals(2 * each, histogram("handover").getTotalCount());
        assertEquals(2 * each - 2, histogram("wait").getTotalCount(), "but for the first of each thread");
        assertEquals(operations - 2, histogram("residence").getTotalCount());
    }

    private Histogram histogram(String tag) throws IOException {
        return Harness.log(out()).stream()
                .filter(each -> each.getTag().equals(tag))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void logsCostWhatTheOtherIterationsShow() {
        List<String> line = Harness.words(
                "lock_scaling --variant monitor --threads 2 --warmup 4 --iterations 6 --iteration-ms 1 --log " + LOG,
                out());
        Harness.Result result = Harness.run(line.toArray(new String[0]));
        assertEquals(0, result.status(), result.err());
        assertEquals(1, result.measures("log_cost").size());
    }

    @Test
    void lostUpdateIsReported() {
        Experiment unlocked = Scripted.inPlaceOf(
                new LockScaling(),
                trial -> LockScaling.measure(trial, new BrokenKernel(SAMPLE_EVERY), new Outside[0], new OwnerLog[0]));
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
