package lab.experiments.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import lab.Experiment;
import lab.Harness;
import lab.Scripted;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SingleWriterTest {
    private static final int SAMPLE_EVERY = 10;

    @TempDir
    Path folder;

    private String[] args(String experiment, String variant, int threads) {
        String line = experiment + " --variant " + variant + " --threads " + threads
                + " --warmup 1 --iterations 3 --iteration-ms 2 --write-pause-us 100 --sample-every " + SAMPLE_EVERY;
        return Harness.words(line, folder.resolve("o.hlog")).toArray(new String[0]);
    }

    static Stream<String> counters() {
        return new SingleWriter()
                .variants().stream().map(Experiment.Variant::name).filter(name -> !name.equals("readers"));
    }

    @ParameterizedTest
    @MethodSource("counters")
    void everyIncrementIsCounted(String variant) throws IOException {
        Harness.Result result = Harness.run(args("single_writer", variant, 1));
        assertEquals(0, result.status(), result.err());
        long sum = 0;
        JsonNode operations = result.json().get("iterations").get("operations");
        List<Histogram> log = Harness.log(folder.resolve("o.hlog"));
        assertEquals(4, log.size());
        for (int row = 0; row < log.size(); row++) {
            assertEquals(
                    operations.get(row).asLong(), SAMPLE_EVERY * log.get(row).getTotalCount());
            sum += operations.get(row).asLong();
        }
        JsonNode check = result.json().get("checks").get(0);
        assertEquals("counter equals increments", check.get("name").asText());
        assertEquals(sum, check.get("actual").asLong());
    }

    @ParameterizedTest
    @ValueSource(strings = {"folded", "plain", "opaque", "release", "volatile", "release_store", "volatile_store"})
    void aSecondWriterIsRefused(String variant) {
        Harness.Result result = Harness.run(args("single_writer", variant, 2));
        assertEquals(2, result.status());
        assertTrue(result.err().contains("--threads 2"), result.err());
        assertEquals(1, result.err().lines().count());
    }

    @ParameterizedTest
    @ValueSource(strings = {"cas_loop", "get_and_add", "reentrant_lock"})
    void severalMayWrite(String variant) {
        Harness.Result result = Harness.run(args("single_writer", variant, 3));
        assertEquals(0, result.status(), result.err());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void everyReaderEndsAtTheWritersLastValue(int threads) {
        Harness.Result result = Harness.run(args("single_writer", "readers", threads));
        assertEquals(0, result.status(), result.err());
        JsonNode checks = result.json().get("checks");
        String written = Long.toString(result.measures("writes").get(0).longValue());
        for (int reader = 0; reader < threads; reader++) {
            assertEquals(
                    "last value of reader " + reader + " is the writer's",
                    checks.get(reader + 1).get("name").asText());
            assertEquals(written, checks.get(reader + 1).get("actual").asText());
        }
        assertEquals(threads, result.measures("values_seen").size());
        // Each has read on until then: at the least the last value is one that it saw.
        assertTrue(result.measures("values_seen").stream().allMatch(seen -> seen >= 1));
    }

    @Test
    void aWriterWithoutPauseWritesFarMoreOften() {
        String[] slow = args("single_writer", "readers", 1);
        String[] fast = slow.clone();
        fast[List.of(fast).indexOf("--write-pause-us") + 1] = "0";
        // No pause is shorter than asked for; without one the writer needs a CPU for a while.
        assertTrue(writePeriod(Harness.run(slow)) > 50_000);
        Harness.Result result = Harness.until(tried -> writePeriod(tried) < 5_000, () -> Harness.run(fast));
        assertEquals(0, result.status(), result.err());
        assertTrue(writePeriod(result) < 5_000, result.out());
    }

    private static double writePeriod(Harness.Result result) {
        return result.measures("write_period").get(0);
    }

    @Test
    void aValueThatGoesBackIsReported() {
        Experiment backward = Scripted.inPlaceOf(new SingleWriter(), BackwardReaders::run);
        String cause = "smaller than the one before";
        // It takes a reader that runs while the word is set back.
        Harness.Result result = Harness.until(
                tried -> tried.err().contains(cause), () -> Harness.run(List.of(backward), args("scripted", "v", 2)));
        assertEquals(4, result.status());
        assertTrue(result.err().contains(cause), result.err());
    }
}
