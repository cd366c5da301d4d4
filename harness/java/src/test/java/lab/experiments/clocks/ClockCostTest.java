package lab.experiments.clocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import lab.Harness;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClockCostTest {
    private static final int BATCH = 50;
    private static final long MILLI = 1_000_000;

    @TempDir
    Path folder;

    private String[] args(String experiment, String variant, String... more) {
        String line =
                experiment + " --variant " + variant + " --warmup 1 --iterations 3 --iteration-ms 3 --batch " + BATCH;
        return Harness.words(line, out(), more).toArray(new String[0]);
    }

    private Path out() {
        return folder.resolve("o.hlog");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nano_time", "current_time_millis"})
    void everyReadingIsAccountedFor(String variant) throws IOException {
        Harness.Result result = Harness.run(args("clock", variant));
        assertEquals(0, result.status(), result.err());
        JsonNode rows = result.json().get("iterations");
        List<Histogram> log = Harness.log(out());
        assertEquals(8, log.size());
        for (int row = 0; row < log.size(); row += 2) {
            assertEquals("batches", rows.get("series").get(row).asText());
            assertEquals(
                    rows.get("operations").get(row).asLong(),
                    BATCH * log.get(row).getTotalCount());
            assertEquals("steps", rows.get("series").get(row + 1).asText());
            long steps = rows.get("operations").get(row + 1).asLong() - 1;
            assertEquals(steps, result.measures("steps").get(row / 2));
            assertEquals(
                    steps,
                    log.get(row + 1).getTotalCount()
                            + result.measures("zero_steps").get(row / 2)
                            + result.measures("backward_steps").get(row / 2));
            assertEquals(0, log.get(row + 1).getCountAtValue(0));
        }
    }

    @Test
    void millisecondsAreSteps() {
        String line = "clock --variant current_time_millis --warmup 0 --iterations 1 --iteration-ms 20";
        Harness.Result result = Harness.run(Harness.words(line, out()).toArray(new String[0]));
        assertEquals(0, result.status(), result.err());
        assertTrue(result.measures("smallest_step").get(0) >= MILLI);
        assertEquals(0, result.measures("smallest_step").get(0) % MILLI);
        assertTrue(
                result.measures("zero_steps").get(0) > result.measures("steps").get(0) / 2);
    }

    @Test
    void slotsCoverAllOfTheTime() throws IOException {
        Harness.Result result = Harness.run(args("clock", "idle", "--slot-us", "20"));
        assertEquals(0, result.status(), result.err());
        List<Histogram> log = Harness.log(out());
        assertEquals(4, log.size());
        for (int i = 0; i < log.size(); i++) {
            long watched = result.measures("watched_ns").get(i).longValue();
            assertTrue(watched >= 3 * MILLI);
            assertEquals(watched / 20_000, log.get(i).getTotalCount());
            assertTrue(result.measures("away_ns").get(i) <= watched);
        }
    }

    @ParameterizedTest
    @CsvSource({"stepping_back,steps back", "idle_stepping_back,steps back", "losing,sum of steps"})
    void wrongClocksAreRefused(String variant, String check) {
        Harness.Result result = Harness.run(List.of(new WrongClocks()), args("wrong_clocks", variant));
        assertEquals(4, result.status());
        assertTrue(result.err().contains(check), result.err());
    }

    @Test
    void wallClockMayBeSetBack() {
        Harness.Result result = Harness.run(List.of(new WrongClocks()), args("wrong_clocks", "wall_clock_set_back"));
        assertEquals(0, result.status(), result.err());
        assertTrue(result.measures("backward_steps").stream()
                        .mapToDouble(Double::doubleValue)
                        .sum()
                > 0);
    }

    @Test
    void aRoundTripBoundsTheOffsetOfTwoClocks() throws IOException {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1);
        Harness.Result result = Harness.run(args("clock", "across", "--threads", "2"));
        assertEquals(0, result.status(), result.err());
        List<Histogram> log = Harness.log(out());
        assertEquals(4, log.size());
        for (int i = 0; i < log.size(); i++) {
            assertEquals("round_trips", log.get(i).getTag());
            long readings =
                    result.json().get("iterations").get("operations").get(i).asLong();
            assertEquals(readings, 3 * log.get(i).getTotalCount());
            assertTrue(readings > 0);
        }
        assertEquals(4, result.measures("cpu_offset").size());
        for (int i = 0; i < log.size(); i++) {
            Histogram trips = log.get(i);
            long shortest = trips.highestEquivalentValue(trips.getMinValue());
            assertTrue(2 * result.measures("cpu_offset_bound").get(i) <= shortest);
        }
    }

    @Test
    void aClockBehindTheOtherIsNoticed() {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1);
        Harness.Result result =
                Harness.run(List.of(new WrongClocks()), args("wrong_clocks", "behind", "--threads", "2"));
        assertEquals(4, result.status());
        assertTrue(result.err().contains("have seen"), result.err());
    }

    @Test
    void twoThreadsOnOneCpuCompareNothing() {
        Harness.Result result = Harness.run(args("clock", "across", "--threads", "2", "--cpus", "0"));
        assertEquals(3, result.status());
        assertTrue(result.err().contains("two CPUs"), result.err());
        assertEquals(2, Harness.run(args("clock", "across")).status());
    }

    @Test
    void oneThreadReads() {
        Harness.Result result = Harness.run(args("clock", "nano_time", "--threads", "2"));
        assertEquals(2, result.status());
        assertTrue(result.err().contains("--threads 2"), result.err());
    }

    @Test
    void everyTrialNamesTheClockSource() {
        JsonNode runtime = Harness.run(args("clock", "nano_time")).json().get("runtime");
        assertTrue(runtime.get("clocksource").asText().matches("\\S+"));
    }
}
