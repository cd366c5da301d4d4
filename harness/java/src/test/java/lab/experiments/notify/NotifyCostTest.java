package lab.experiments.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import lab.Experiment;
import lab.Harness;
import lab.Scripted;
import lab.Workers;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class NotifyCostTest {
    private static final long SHORT_GRACE_NANOS = 200_000_000;
    private static final int NOTIFIES = 20;
    private static final int WARMUP_NOTIFIES = 50;

    @TempDir
    Path folder;

    private String[] args(String experiment, String variant, int pairs, String... more) {
        String line = experiment + " --variant " + variant + " --pairs " + pairs
                + " --warmup 1 --iterations 3 --notifies " + NOTIFIES + " --warmup-notifies " + WARMUP_NOTIFIES;
        return Harness.words(line, out(), more).toArray(new String[0]);
    }

    private Path out() {
        return folder.resolve("o.hlog");
    }

    static Stream<String> variants() {
        return new NotifyCost().variants().stream().map(Experiment.Variant::name);
    }

    @ParameterizedTest
    @MethodSource("variants")
    void everyNotificationIsTakenOnceAndSampledTwice(String variant) throws IOException {
        for (int pairs : new int[] {1, 3, 16}) {
            Harness.Result result = Harness.run(args("notify_cost", variant, pairs));
            assertEquals(0, result.status(), result.err());
            int warmup = (WARMUP_NOTIFIES + pairs - 1) / pairs;
            JsonNode rows = result.json().get("iterations");
            List<Histogram> log = Harness.log(out());
            assertEquals(8, log.size());
            for (int row = 0; row < log.size(); row++) {
                String series = row % 2 == 0 ? "notify" : "block";
                assertEquals(row / 2, rows.get("iteration").get(row).asInt());
                assertEquals(series, rows.get("series").get(row).asText());
                assertEquals(series, log.get(row).getTag());
                int samples = pairs * (row < 2 ? warmup : NOTIFIES);
                assertEquals(samples, rows.get("operations").get(row).asInt());
                assertEquals(samples, log.get(row).getTotalCount());
                assertTrue(rows.get("elapsed_ns").get(row).asLong() > 0);
            }
            String handed = Integer.toString(pairs * (warmup + 3 * NOTIFIES));
            for (int check = 0; check < 2; check++) {
                assertEquals(
                        handed,
                        result.json().get("checks").get(check).get("expected").asText());
                assertEquals(
                        handed,
                        result.json().get("checks").get(check).get("actual").asText());
            }
        }
    }

    @Test
    void theCallIsInsideTheBlock() throws IOException {
        Harness.run(args("notify_cost", "object_notify", 2));
        List<Histogram> log = Harness.log(out());
        for (int row = 0; row < log.size(); row += 2) {
            assertTrue(log.get(row).getMinValue() <= log.get(row + 1).getMinValue());
            assertTrue(log.get(row).getMean() < log.get(row + 1).getMean());
        }
    }

    @Test
    void anIterationIsNoLongerThanItMayBe() {
        Harness.Result result = Harness.run(args("notify_cost", "unpark", 4, "--iteration-most", "30"));
        assertEquals(0, result.status(), result.err());
        assertEquals(
                4 * 7, result.json().get("iterations").get("operations").get(7).asInt());
    }

    @Test
    void aPacedIterationLastsAsLongAsItsSchedule() {
        Harness.Result result = Harness.run(args("notify_cost", "object_notify", 2, "--pace-us", "1000"));
        assertEquals(0, result.status(), result.err());
        JsonNode elapsed = result.json().get("iterations").get("elapsed_ns");
        for (int row = 2; row < 8; row++) {
            assertTrue(elapsed.get(row).asLong() >= (NOTIFIES - 1) * 1_000_000L, elapsed.toString());
        }
    }

    @Test
    void threadsAndCpusAreRefused() {
        Harness.Result threads = Harness.run(args("notify_cost", "unpark", 2, "--threads", "2"));
        assertEquals(2, threads.status());
        assertTrue(threads.err().contains("--threads 2: leave it out"), threads.err());
        Harness.Result pairs = Harness.run(args("notify_cost", "unpark", 513));
        assertEquals(2, pairs.status());
        assertTrue(pairs.err().contains("--pairs 513: must be from 1 to 512"), pairs.err());
        assertFalse(Files.exists(out()));
    }

    /** notify_cost with pairs that are not its own. */
    private Harness.Result run(Supplier<Pair> kind, long graceNanos) {
        Experiment stub = Scripted.inPlaceOf(new NotifyCost(), trial -> NotifyCost.measure(trial, kind, graceNanos));
        return Harness.run(List.of(stub), args("scripted", "v", 2));
    }

    @Test
    void aLostNumberIsReported() {
        Harness.Result result = Harness.until(4, () -> run(HastyPair::new, Workers.GRACE_NANOS));
        assertEquals(4, result.status());
        assertTrue(result.err().contains("numbers taken equal notifications"), result.err());
        JsonNode check = result.json().get("checks").get(0);
        assertTrue(check.get("actual").asLong() < check.get("expected").asLong(), check.toString());
    }

    @Test
    void aFailedWaiterEndsTheTrial() {
        Harness.Result result = run(FailingPair::new, Workers.GRACE_NANOS);
        assertEquals(1, result.status());
        assertTrue(result.err().contains("the waiter failed"), result.err());
        assertFalse(Files.exists(out()));
    }

    @Test
    void aLostNotificationEndsTheTrial() {
        Harness.Result result =
                assertTimeoutPreemptively(Harness.PATIENCE, () -> run(LosingPair::new, SHORT_GRACE_NANOS));
        assertEquals(4, result.status());
        assertEquals(1, result.err().lines().count());
        assertTrue(result.err().contains("no iteration ended in"), result.err());
        assertEquals("", result.out());
        assertFalse(Files.exists(out()));
    }

    @Test
    void threadsAreThePairs() {
        Harness.Result result = Harness.run(args("notify_cost", "object_notify", 3));
        assertEquals(3, result.json().get("parameters").get("threads").asInt());
    }
}
