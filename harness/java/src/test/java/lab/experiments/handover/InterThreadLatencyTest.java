package lab.experiments.handover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import lab.Experiment;
import lab.Harness;
import lab.Scripted;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 10, unit = TimeUnit.MINUTES)
class InterThreadLatencyTest {
    private static final int SAMPLE_EVERY = 4;

    @TempDir
    Path folder;

    private String[] args(String experiment, String variant, String... more) {
        String line = experiment + " --variant " + variant
                + " --threads 2 --warmup 1 --iterations 3 --iteration-ms 2 --sample-every " + SAMPLE_EVERY;
        return Harness.words(line, out(), more).toArray(new String[0]);
    }

    private Path out() {
        return folder.resolve("o.hlog");
    }

    @ParameterizedTest
    @CsvSource({
        "volatile_increment,busy",
        "volatile_increment,hint",
        "atomic_add,busy",
        "release_acquire,hint",
        "pipeline,busy"
    })
    void bothSidesHandOverAsOften(String variant, String spin) throws IOException {
        Harness.Result result = Harness.run(args("inter_thread_latency", variant, "--spin", spin));
        assertEquals(0, result.status(), result.err());
        List<Histogram> log = Harness.log(out());
        JsonNode operations = result.json().get("iterations").get("operations");
        assertEquals(8, operations.size());
        for (int row = 0; row < operations.size(); row += 2) {
            long roundTrips = operations.get(row).asLong();
            // Every chunk has one timed round trip, and one more ends the iteration.
            assertEquals(SAMPLE_EVERY * log.get(row).getTotalCount() + 1, roundTrips);
            assertEquals(roundTrips, operations.get(row + 1).asLong());
            assertEquals(0, log.get(row + 1).getTotalCount());
        }
        JsonNode checks = result.json().get("checks");
        assertEquals(
                "pong word equals pong hand-overs", checks.get(3).get("name").asText());
        assertTrue(checks.get(3).get("actual").asLong() > 0);
    }

    /** Ping is a round trip ahead when pong looks whether the iteration has ended. */
    @Test
    void everyRoundTripMayBeTimed() {
        String[] args = args("inter_thread_latency", "release_acquire");
        args[8] = "100";
        args[12] = "1";
        Harness.Result result = Harness.run(args);
        assertEquals(0, result.status(), result.err());
    }

    @Test
    void otherNumbersOfThreadsAreRefused() {
        String[] args = args("inter_thread_latency", "atomic_add");
        args[4] = "3";
        Harness.Result result = Harness.run(args);
        assertEquals(2, result.status());
        assertTrue(result.err().contains("--threads 3: must be 2"), result.err());
    }

    /** inter_thread_latency with hand-overs that are not. */
    private Harness.Result broken(String fault) {
        Experiment broken =
                Scripted.inPlaceOf(new InterThreadLatency(), trial -> new BrokenHandover(fault).measure(trial));
        return Harness.run(List.of(broken), args("scripted", "v"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"skips", "loses"})
    void wrongHandoversAreReported(String fault) {
        Harness.Result result = broken(fault);
        assertEquals(4, result.status(), result.err());
        boolean passed = true;
        for (JsonNode check : result.json().get("checks")) {
            passed &= check.get("passed").asBoolean();
        }
        assertFalse(passed);
    }

    @Test
    void failingPartnerEndsTheTrial() {
        Harness.Result result = broken("throws");
        assertEquals(5, result.status(), result.err());
        assertTrue(result.err().contains("nothing left"), result.err());
    }
}
