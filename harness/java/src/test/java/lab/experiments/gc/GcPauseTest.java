package lab.experiments.gc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import lab.Failure;
import lab.Harness;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The paced program: what it leaves, what it refuses, and operations that do not do what they say. */
class GcPauseTest {
    private static final int OPERATIONS = 200;

    @TempDir
    Path folder;

    @BeforeEach
    void needsTwoCpus() {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1);
    }

    private Path out() {
        return folder.resolve("o.hlog");
    }

    private String[] args(String experiment, String variant, String... more) {
        String line = experiment + " --variant " + variant
                + " --warmup 1 --iterations 3 --iteration-ms 4 --period-us 20 --live-mb 1 --keep-every 7";
        return Harness.words(line, out(), more).toArray(new String[0]);
    }

    private static String collector() {
        return Machine.collector();
    }

    @Test
    void everyOperationIsTwoSamples() throws IOException {
        Harness.Result result = Harness.run(args("gc_pause", "paced"));
        assertEquals(0, result.status(), result.err());
        List<Histogram> log = Harness.log(out());
        JsonNode rows = result.json().get("iterations");
        assertEquals(8, log.size());
        for (int i = 0; i < log.size(); i++) {
            assertEquals(i % 2 == 0 ? "late" : "service", log.get(i).getTag());
            assertEquals(OPERATIONS, log.get(i).getTotalCount());
            assertEquals(OPERATIONS, rows.get("operations").get(i).asInt());
            assertEquals(i < 2 ? "warmup" : "measured", rows.get("phase").get(i).asText());
        }
        for (int i = 0; i < log.size(); i += 2) {
            // Late is counted from the due time, which is never after the beginning.
            assertTrue(log.get(i).getMaxValue() >= log.get(i + 1).getMaxValue());
            assertTrue(log.get(i).getMinValue() >= log.get(i + 1).getMinValue());
        }
        assertEquals(4, result.measures("watched_ns").size());
        for (double bytes : result.measures("allocated_bytes")) {
            assertTrue(bytes >= OPERATIONS * 20.0 * Garbage.LEAST, bytes + " bytes");
        }
    }

    @Test
    void aWarmUpCatchesUp() throws IOException {
        Harness.Result result = Harness.run(args("gc_pause", "paced"));
        assertEquals(0, result.status(), result.err());
        assertTrue(Harness.log(out()).get(0).getMaxValue() >= 1_000_000);
    }

    @Test
    void withoutGarbageNothingIsCollected() {
        Harness.Result result = Harness.run(args("gc_pause", "paced", "--bytes-per-operation", "0"));
        assertEquals(0, result.status(), result.err());
        List<String> names = new ArrayList<>();
        result.json().get("checks").forEach(check -> names.add(check.get("name").asText()));
        assertTrue(names.contains("collections while measuring"), names.toString());
        assertEquals(List.of(0.0), result.measures("collections"));
        assertEquals(List.of(), result.measures("span_allocated_bytes"));
    }

    /** What the compilers did is not what the collector costs: each has its number, and they make up the whole. */
    @Test
    void processorTimeIsToldByWhatThreadsAreFor() {
        assumeTrue(ThreadTimes.now().known());
        Harness.Result result = Harness.run(args("gc_pause", "paced"));
        assertEquals(0, result.status(), result.err());
        double parts = 0;
        for (String group : List.of("gc_cpu_ns", "compilers_cpu_ns", "vm_cpu_ns")) {
            assertEquals(1, result.measures(group).size(), group);
            parts += result.measures(group).get(0);
        }
        assertTrue(parts <= result.measures("others_cpu_ns").get(0));
        assertTrue(result.measures("span_allocated_bytes").get(0) >= 3 * OPERATIONS * 20.0 * Garbage.LEAST);
        assertTrue(result.measures("rehearsals").get(0) >= 1);
    }

    @ParameterizedTest
    @CsvSource({"losing,live arrays", "skipping,operations", "reusing,bytes allocated"})
    void wrongProgramsAreFoundOut(String variant, String check) {
        Harness.Result result = Harness.run(List.of(new WrongPrograms()), args("wrong_programs", variant));
        assertEquals(Failure.CHECK_FAILED, result.status(), result.err());
        boolean found = false;
        for (JsonNode each : result.json().get("checks")) {
            found |= each.get("name").asText().startsWith(check)
                    && !each.get("passed").asBoolean();
        }
        assertTrue(found, result.json().get("checks").toString());
    }

    @Test
    void itSaysWhichCollectorItHas() {
        Harness.Result result = Harness.run(args("gc_pause", "paced", "--collector", collector()));
        assertEquals(0, result.status(), result.err());
        String other = collector().equals("zgc") ? "g1" : "zgc";
        result = Harness.run(args("gc_pause", "paced", "--collector", other));
        assertEquals(Failure.CHECK_FAILED, result.status());
        assertTrue(result.err().contains("collector: expected " + other + ", found " + collector()), result.err());
        result = Harness.run(args("gc_pause", "paced", "--heap", "1"));
        assertEquals(Failure.CHECK_FAILED, result.status());
        assertTrue(result.err().contains("heap, MiB"), result.err());
        result = Harness.run(args("gc_pause", "paced", "--young", "1"));
        assertEquals(Failure.CHECK_FAILED, result.status());
        assertTrue(result.err().contains("young generation, MiB"), result.err());
    }

    @Test
    void oneThreadAndOperationsThatFit() {
        assertEquals(2, Harness.run(args("gc_pause", "paced", "--threads", "2")).status());
        String line = "gc_pause --variant paced --warmup 0 --iterations 1 --iteration-ms 1 --period-us 2000";
        Harness.Result result = Harness.run(Harness.words(line, out()).toArray(new String[0]));
        assertEquals(2, result.status());
        assertTrue(result.err().contains("--period-us 2000"), result.err());
    }

    /** In a virtual machine of its own: this one has a collector. */
    @Test
    void aHeapThatWillNotDoIsRefusedBeforeItIsFull() throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:+UseEpsilonGC",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                "lab.Main"));
        command.addAll(List.of(args("gc_pause", "paced", "--bytes-per-operation", "200000")));
        Path err = folder.resolve("err");
        Process process =
                new ProcessBuilder(command).redirectError(err.toFile()).start();
        assertTrue(process.waitFor(10, TimeUnit.MINUTES));
        String told = Files.readString(err);
        // A build without it says so in words of its own.
        assumeTrue(process.exitValue() != 1, told);
        assertEquals(Failure.NO_RESOURCES, process.exitValue(), told);
        assertTrue(told.startsWith("lab: heap: 128 MiB") && told.contains("one every 20 us"), told);
        assertFalse(Files.exists(out()));
    }
}
