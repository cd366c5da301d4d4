package lab.experiments.sharing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import lab.Harness;
import lab.Scripted;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FalseSharingTest {
    private static final int BATCH = 4096;

    @TempDir
    Path folder;

    private List<String> arguments(String experiment, String variant, int threads, String... more) {
        String line = experiment + " --variant " + variant + " --threads " + threads
                + " --warmup 1 --iterations 3 --iteration-ms 1";
        return Harness.words(line, out(), more);
    }

    private Path out() {
        return folder.resolve("o.hlog");
    }

    private Harness.Result run(String variant, int threads, String... more) {
        return Harness.run(arguments("false_sharing", variant, threads, more).toArray(new String[0]));
    }

    @ParameterizedTest
    @ValueSource(strings = {"array_volatile", "array_release", "array_add", "unpadded", "padded"})
    void everySampleIsABatchAndEveryWordItsThreadsOwn(String variant) throws IOException {
        int threads = 3;
        Harness.Result result = run(variant, threads);
        assertEquals(0, result.status(), result.err());
        JsonNode rows = result.json().get("iterations");
        List<Histogram> log = Harness.log(out());
        assertEquals(4 * threads, log.size());
        long writes = 0;
        for (int row = 0; row < log.size(); row++) {
            assertEquals(
                    BATCH * log.get(row).getTotalCount(),
                    rows.get("operations").get(row).asLong());
            writes += rows.get("operations").get(row).asLong();
        }
        JsonNode checks = result.json().get("checks");
        assertEquals(4 * threads, checks.get(0).get("actual").asInt());
        assertEquals(writes, checks.get(1).get("actual").asLong());
    }

    @Test
    void onlyTheFirstThreadWritesWhereTheOthersRead() throws IOException {
        Harness.Result result = run("array_read", 3, "--distance", "8");
        assertEquals(0, result.status(), result.err());
        JsonNode rows = result.json().get("iterations");
        long writes = 0;
        for (int row = 0; row < rows.get("series").size(); row++) {
            long operations = rows.get("operations").get(row).asLong();
            assertTrue(operations > 0);
            writes += rows.get("series").get(row).asText().equals("t0") ? operations : 0;
        }
        JsonNode checks = result.json().get("checks");
        assertEquals(4 * 3, checks.get(0).get("actual").asInt());
        assertEquals(writes, checks.get(1).get("actual").asLong());
        assertEquals("0", checks.get(2).get("actual").asText());
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 16, 32, 64, 128, 256})
    void wordsLieAtTheDistanceFromTheStartOfAPage(int distance) {
        List<Double> expected = List.of((double) distance, distance < 64 ? 2.0 : 0.0, distance < 128 ? 2.0 : 0.0);
        List<Double> found = List.of();
        // A collection moves the array where regions are larger than a trial's: asked until none does.
        for (int attempt = 0; attempt < 50 && !found.equals(expected); attempt++) {
            Harness.Result result = run("array_volatile", 2, "--distance", "" + distance);
            found = Stream.of("smallest_distance", "share_line", "share_pair")
                    .map(name -> result.measures(name).get(3))
                    .collect(Collectors.toList());
        }
        assertEquals(expected, found);
    }

    @Test
    void neighboursShareALine() {
        // A collection may move them, and they may lie on two sides of a line's end: asked until they do not.
        boolean together = false;
        for (int attempt = 0; attempt < 50 && !together; attempt++) {
            Harness.Result result = run("unpadded", 2);
            boolean near = result.measures("smallest_distance").get(0) < 64;
            together = result.measures("share_line").get(0) == 2.0;
            assertTrue(near || !together, "what shares a line is nearer than its length");
        }
        assertTrue(together);
    }

    @Test
    void paddingFollowsTheValue() {
        Harness.Result result = run("padded", 2);
        double value = result.measures("offset_value").get(0);
        for (int i = 1; i <= 6; i++) {
            assertEquals(value + 8 * i, result.measures("offset_p" + i).get(0));
        }
        JsonNode checks = result.json().get("checks");
        assertEquals("padding is untouched", checks.get(3).get("name").asText());
        assertEquals(14, checks.get(3).get("actual").asInt());
    }

    @Test
    void contendedNeedsItsFlag() {
        Harness.Result result = run("contended", 2);
        assertEquals(3, result.status());
        assertTrue(result.err().contains("-XX:-RestrictContended"), result.err());
    }

    /** In a process of its own, for the flag is given at start. */
    @Test
    void contendedIsPaddedOnBothSides() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-RestrictContended",
                "-cp",
                System.getProperty("java.class.path"),
                "lab.Main"));
        command.addAll(arguments("false_sharing", "contended", 2));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String[] lines = new String(process.getInputStream().readAllBytes()).split("\n");
        Harness.Result result = new Harness.Result(0, lines[lines.length - 1], "");
        assertTrue(result.measures("offset_value").get(0) >= 128);
        result.measures("smallest_distance").forEach(distance -> assertTrue(distance >= 256, "" + distance));
        List<Double> shares = result.measures("share_pair");
        assertEquals(Collections.nCopies(shares.size(), 0.0), shares);
        assertTrue(shares.size() >= 4); // and of those that were added, for this one compiles
    }

    @Test
    void distanceIsInWholeWords() {
        Harness.Result result = run("array_add", 2, "--distance", "12");
        assertEquals(2, result.status());
        assertTrue(result.err().contains("--distance 12: must be a multiple of 8"), result.err());
    }

    @Test
    void writesToAnotherThreadsWordAreReported() {
        Scripted stray = new Scripted(trial -> FalseSharing.measure(trial, new StrayKernel(trial.threads())));
        Harness.Result result =
                Harness.run(List.of(stray), arguments("scripted", "v", 2).toArray(new String[0]));
        assertEquals(4, result.status());
        assertTrue(result.err().contains("own thread's last write"), result.err());
        JsonNode check = result.json().get("checks").get(0);
        assertFalse(check.get("passed").asBoolean());
        assertEquals(0, check.get("actual").asInt());
    }
}
