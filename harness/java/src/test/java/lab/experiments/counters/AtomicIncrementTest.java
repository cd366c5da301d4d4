package lab.experiments.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import lab.Experiment;
import lab.Harness;
import lab.Scripted;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AtomicIncrementTest {
    private static final int SAMPLE_EVERY = 10;

    @TempDir
    Path folder;

    private String[] args(String experiment, String variant, int threads) {
        String line = experiment + " --variant " + variant + " --threads " + threads
                + " --warmup 1 --iterations 3 --iteration-ms 2 --sample-every " + SAMPLE_EVERY;
        return Harness.words(line, folder.resolve("o.hlog")).toArray(new String[0]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"get_and_add", "increment_and_get", "cas_loop", "get_then_add", "long_adder"})
    void everyIncrementIsCounted(String variant) throws IOException {
        for (int threads : new int[] {1, 2, 5}) {
            Harness.Result result = Harness.run(args("atomic_increment", variant, threads));
            assertEquals(0, result.status(), result.err());
            JsonNode rows = result.json().get("iterations");
            List<Histogram> log = Harness.log(folder.resolve("o.hlog"));
            assertEquals(4 * threads, log.size());
            long sum = 0;
            for (int row = 0; row < log.size(); row++) {
                long operations = rows.get("operations").get(row).asLong();
                assertEquals(operations, SAMPLE_EVERY * log.get(row).getTotalCount());
                sum += operations;
            }
            JsonNode check = result.json().get("checks").get(0);
            assertEquals("counter equals increments", check.get("name").asText());
            assertEquals(sum, check.get("actual").asLong());
        }
    }

    @Test
    void aloneNothingFails() {
        Harness.Result cas = Harness.run(args("atomic_increment", "cas_loop", 1));
        assertEquals(List.of(0.0, 0.0, 0.0, 0.0), cas.measures("failed_cas"));
    }

    @Test
    void aloneNoLoadIsOutdated() {
        Harness.Result alone = Harness.run(args("atomic_increment", "get_then_add", 1));
        assertEquals(List.of(0.0, 0.0, 0.0, 0.0), alone.measures("outdated_loads"));
    }

    @Test
    void outdatedLoadsAreNoMoreThanIncrements() {
        Harness.Result shared = Harness.run(args("atomic_increment", "get_then_add", 2));
        long operations = 0;
        for (JsonNode each : shared.json().get("iterations").get("operations")) {
            operations += each.asLong();
        }
        double outdated = 0;
        for (double each : shared.measures("outdated_loads")) {
            outdated += each;
        }
        assertTrue(outdated <= operations, outdated + " of " + operations);
    }

    @Test
    void lostUpdateIsReported() {
        Experiment unlocked = Scripted.inPlaceOf(new AtomicIncrement(), new BrokenCounterKernel()::measure);
        Harness.Result result = Harness.until(4, () -> Harness.run(List.of(unlocked), args("scripted", "v", 2)));
        assertEquals(4, result.status());
        assertTrue(result.err().contains("counter equals increments"), result.err());
        JsonNode check = result.json().get("checks").get(0);
        assertTrue(check.get("actual").asLong() < check.get("expected").asLong());
    }

    @Test
    void noChunkIsRefused() {
        String[] args = args("atomic_increment", "cas_loop", 1);
        args[12] = "0";
        Harness.Result result = Harness.run(args);
        assertEquals(2, result.status());
        assertTrue(result.err().contains("--sample-every 0"), result.err());
    }
}
