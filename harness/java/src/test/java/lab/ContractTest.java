package lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Exit statuses and messages: every one names what is wrong, on one line, and leaves nothing behind. */
class ContractTest {
    @TempDir
    Path folder;

    private Harness.Result run(String... changes) {
        List<String> args = Harness.words(
                "lock_scaling --variant monitor --warmup 1 --iterations 2 --iteration-ms 1", folder.resolve("o.hlog"));
        return Harness.run(Harness.changed(args, changes));
    }

    private void assertRefused(int status, Harness.Result result, String... named) throws IOException {
        assertEquals(status, result.status(), result.err());
        assertEquals(1, result.err().lines().count(), result.err());
        assertEquals("", result.out());
        for (String word : named) {
            assertTrue(result.err().contains(word), result.err());
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--threads, 0", "--threads, -1", "--threads, 10000", "--threads, two", "--threads, 99999999999999999999",
        "--warmup, -1", "--iterations, 0", "--iterations, 1.5", "--iteration-ms, 0", "--iteration-ms, 60001",
        "--cpus, 4095", "--cpus, -1", "--cpus, '0,,1'", "--cpus, all", "--cpus, ''",
        "--variant, spin", "--warmup-style, medium", "--sample-every, 0", "--sample-every, 3", "--log, many",
        "--nonsense, 1", "--out, ''",
    })
    void badArgument(String argument, String value) throws IOException {
        assertRefused(Failure.BAD_ARGUMENT, run(argument, value), argument, value);
    }

    @Test
    void missingParentOfOut() throws IOException {
        assertRefused(
                Failure.BAD_ARGUMENT, run("--out", folder.resolve("no/o.hlog").toString()), "--out", "no");
        assertRefused(Failure.BAD_ARGUMENT, run("--out", folder.toString()), "--out", "directory");
    }

    @Test
    void outIsNeverADevice() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        Harness.Result result = run("--out", pipe.toString());
        assertFalse(Files.isRegularFile(pipe), "the log replaced the pipe");
        Files.delete(pipe);
        assertRefused(Failure.BAD_ARGUMENT, result, "--out", "pipe");
    }

    @Test
    void unwritableOut() throws IOException {
        assertRefused(Failure.NO_RESOURCES, run("--out", "/proc/self/o.hlog"), "/proc/self/o.hlog");
    }

    @Test
    void malformedCommandLines() throws IOException {
        assertRefused(Failure.BAD_ARGUMENT, Harness.run(), "usage");
        assertRefused(Failure.BAD_ARGUMENT, Harness.run("bogus", "--list"), "bogus", "lock_scaling");
        assertRefused(Failure.BAD_ARGUMENT, Harness.run("lock_scaling"), "--variant is missing");
        assertRefused(Failure.BAD_ARGUMENT, Harness.run("lock_scaling", "--variant"), "--variant", "missing");
        assertRefused(Failure.BAD_ARGUMENT, Harness.run("lock_scaling", "variant", "monitor"), "variant");
        assertRefused(Failure.BAD_ARGUMENT, Harness.run("lock_scaling", "--threads", "1", "--threads", "2"), "twice");
    }

    @Test
    void oneThreadVariant() throws IOException {
        assertRefused(Failure.BAD_ARGUMENT, run("--variant", "no_lock", "--threads", "2"), "--threads 2", "no_lock");
    }

    @Test
    void virtualThreadsAreRefusedWithTheReasonWhereMissing() throws IOException {
        Harness.Result result = run("--variant", "monitor_virtual");
        if (Runtime.version().feature() < 21) {
            assertRefused(Failure.UNSUPPORTED, result, "virtual threads", "JDK 21");
        } else {
            assertEquals(Failure.MEASURED, result.status(), result.err());
            assertTrue(result.json().get("run_delay").isNull(), "a carrier's waiting is no single worker's");
        }
    }

    @Test
    void pinningIsDoneAndReadBackOrNamesWhatToBuild() throws IOException {
        Harness.Result result = run("--cpus", "0");
        if (Native.available()) {
            assertEquals(Failure.MEASURED, result.status(), result.err());
            assertEquals(
                    "[{\"thread\":0,\"requested\":0,\"observed\":[0]}]",
                    result.json().get("pinning").toString());
        } else {
            assertRefused(Failure.NO_RESOURCES, result, "run 'make harness'");
        }
    }

    @Test
    void jsonHasWhatTheContractNames() throws IOException {
        Harness.Result result = run("--log", "16");
        assertEquals(Failure.MEASURED, result.status(), result.err());
        assertEquals("", result.err());
        JsonNode json = result.json();
        assertEquals(
                "lock_scaling monitor java",
                json.get("experiment").asText() + " " + json.get("variant").asText() + " "
                        + json.get("harness").asText());
        assertEquals(
                "{\"threads\":1,\"cpus\":[],\"warmup\":1,\"iterations\":2,\"iteration-ms\":1,"
                        + "\"warmup-style\":\"short\",\"sample-every\":64,\"log\":16,"
                        + "\"outside\":0,\"outside-law\":\"constant\"}",
                json.get("parameters").toString());
        assertEquals(
                System.getProperty("java.runtime.version"),
                json.get("runtime").get("version").asText());
        assertTrue(json.get("runtime").get("options").has("TieredCompilation"));
        assertFalse(json.get("runtime").get("options").has("NoSuchOption"));
        assertEquals(
                "[\"warmup\",\"measured\",\"measured\"]",
                json.get("iterations").get("phase").toString());
        long opened = json.get("clock").get("monotonic_ns").asLong();
        assertTrue(json.get("iterations").get("start_ns").get(0).asLong() >= opened);
        assertTrue(json.get("clock").get("epoch_ms").asLong() <= System.currentTimeMillis());
        assertEquals(1, result.measures("clock_read").size());
        assertFalse(Files.exists(folder.resolve("o.hlog.part")));
    }

    @Test
    void listDeclaresVariantsAndParameters() {
        JsonNode experiment = Harness.run("--list").json().get("experiments").get(0);
        assertEquals("lock_scaling", experiment.get("name").asText());
        assertEquals(
                "{\"name\":\"no_lock\",\"supported\":true,\"reason\":\"\"}",
                experiment.get("variants").get(0).toString());
        assertEquals(
                "{\"name\":\"warmup-style\",\"type\":\"choice\",\"choices\":[\"short\",\"long\"],"
                        + "\"default\":\"short\"}",
                experiment.get("parameters").get(0).toString());
        assertEquals(
                "{\"name\":\"log\",\"type\":\"int\",\"min\":0,\"max\":1048576,\"default\":0}",
                experiment.get("parameters").get(2).toString());
    }

    @Test
    void cpuListsOfTheKernel() {
        assertTrue(Arguments.contains("0-3,6", 3));
        assertTrue(Arguments.contains("0-3,6", 6));
        assertFalse(Arguments.contains("0-3,6", 5));
    }
}
