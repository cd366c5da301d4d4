package lab.experiments.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import lab.Experiment;
import lab.Harness;
import lab.Native;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SequentialIoTest {
    private static final int PASSES = 2;
    private static final int SLICES = 3;

    @TempDir
    Path folder;

    @TempDir
    Path files;

    private Path out() {
        return folder.resolve("o.hlog");
    }

    private String[] args(String experiment, String variant, String... changes) {
        String line = experiment + " --variant " + variant + " --warmup 0 --iterations " + SLICES
                + " --file-size 65536 --passes " + PASSES;
        List<String> args = Harness.words(line, out(), "--dir", files.toString());
        return Harness.changed(args, changes);
    }

    private Harness.Result run(String variant, String... changes) {
        return Harness.run(args("sequential_io", variant, changes));
    }

    static Stream<String> supported() {
        return new SequentialIo()
                .variants().stream().filter(Experiment.Variant::supported).map(Experiment.Variant::name);
    }

    private void assertNothingIsLeft() throws IOException {
        try (Stream<Path> left = Files.list(files)) {
            assertEquals(List.of(), left.toList());
        }
    }

    /** The rows of a pass: all slices of writing, the row of sync if there is one, all slices of reading. */
    private static List<String> expectedRows(int streams, boolean sync) {
        List<String> rows = new ArrayList<>();
        int iteration = 0;
        for (int pass = 1; pass <= PASSES; pass++) {
            for (String direction : sync ? List.of("write", "sync", "read") : List.of("write", "read")) {
                int slices = direction.equals("sync") ? 1 : SLICES;
                for (int stream = 0; stream < streams; stream++) {
                    for (int slice = 0; slice < slices; slice++) {
                        rows.add(iteration + slice + " pass" + pass + " " + direction + ".t" + stream);
                    }
                }
                iteration += slices;
            }
        }
        return rows;
    }

    private void assertMeasured(Harness.Result result, int streams, int blocks, boolean sync) throws IOException {
        assertEquals(0, result.status(), result.err());
        JsonNode rows = result.json().get("iterations");
        List<Histogram> log = Harness.log(out());
        List<String> found = new ArrayList<>();
        long moved = 0;
        for (int row = 0; row < rows.get("iteration").size(); row++) {
            String series = rows.get("series").get(row).asText();
            found.add(rows.get("iteration").get(row).asInt() + " "
                    + rows.get("phase").get(row).asText() + " " + series);
            assertEquals(series, log.get(row).getTag());
            long operations = rows.get("operations").get(row).asLong();
            assertEquals(operations, log.get(row).getTotalCount());
            moved += series.startsWith("sync") ? 0 : operations;
        }
        assertEquals(log.size(), found.size());
        assertEquals(expectedRows(streams, sync), found);
        assertEquals(2L * PASSES * streams * blocks, moved);
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @MethodSource("supported")
    void passesOfSlices(String variant) throws IOException {
        assertMeasured(run(variant), 1, 16, false);
        assertMeasured(run(variant, "--threads", "3", "--block-size", "512"), 3, 128, false);
        if (!variant.equals("cpu_loop")) {
            assertMeasured(run(variant, "--fill", "once", "--sync", "fdatasync"), 1, 16, true);
            assertMeasured(run(variant, "--preparation", "extend"), 1, 16, false);
            assertMeasured(run(variant, "--preparation", "reuse"), 1, 16, false);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"random_access_file", "mapped"})
    void allocatedButNeverWritten(String variant) throws IOException {
        Harness.Result result = run(variant, "--preparation", "fallocate");
        if (Native.available()) {
            assertMeasured(result, 1, 16, false);
        } else {
            assertEquals(5, result.status());
            assertTrue(result.err().contains("run 'make harness'"), result.err());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "changed, bytes, sum of bytes",
        "changed, once, sum of bytes",
        "lost, bytes, sum of bytes",
        "lost, once, sum of bytes",
        "cut, bytes, file size"
    })
    void corruptedContentIsNoticed(String variant, String fill, String check) throws IOException {
        Harness.Result result = Harness.run(List.of(new WrongIo()), args("wrong_io", variant, "--fill", fill));
        assertEquals(4, result.status(), result.err());
        assertTrue(result.err().contains(check), result.err());
        assertTrue(result.err().contains("pass1, stream 0"), result.err());
        assertNothingIsLeft();
    }

    @Test
    void everyPassAndStreamIsChecked() {
        JsonNode checks = run("file_channel", "--threads", "2").json().get("checks");
        List<String> found = new ArrayList<>();
        checks.forEach(each -> found.add(each.get("name").asText()));
        for (String where : List.of("pass1, stream 0", "pass1, stream 1", "pass2, stream 0", "pass2, stream 1")) {
            assertTrue(found.contains("file size, " + where), found.toString());
            assertTrue(found.contains("sum of bytes produced, " + where), found.toString());
            assertTrue(found.contains("sum of bytes read, " + where), found.toString());
        }
        // 0 + 1 + ... + 255, once per 256 bytes.
        assertEquals(
                Integer.toString(65536 / 256 * 32640),
                checks.get(1).get("actual").asText());
    }

    /** Every pass and stream tells how much it read, and how much of that came from the device. */
    @Test
    void whatCameFromTheDeviceIsTold() {
        JsonNode measures =
                run("mapped", "--threads", "2", "--sync", "fdatasync").json().get("measures");
        int firstOfReading = SLICES + 1;
        List<String> found = new ArrayList<>();
        for (int k = 0; k < measures.get("name").size(); k++) {
            String name = measures.get("name").get(k).asText();
            long value = measures.get("value").get(k).asLong();
            if (name.equals("read_bytes")) {
                assertEquals(65536, value);
                found.add(measures.get("iteration").get(k).asInt() + " "
                        + measures.get("series").get(k).asText());
            } else if (name.equals("device_read_bytes")) {
                assertTrue(value >= 0 && value <= 65536 + (8 << 20), "at most the file and what is read ahead");
            }
        }
        int step = 2 * SLICES + 1;
        List<String> expected = new ArrayList<>();
        for (int pass = 0; pass < PASSES; pass++) {
            for (int stream = 0; stream < 2; stream++) {
                expected.add(firstOfReading + pass * step + " read.t" + stream);
            }
        }
        assertEquals(expected, found);
    }

    @Test
    void parametersAreAsTaken() {
        JsonNode parameters =
                run("buffered_stream", "--file-size", "16000").json().get("parameters");
        assertEquals("extend", parameters.get("preparation").asText());
        assertEquals(12288, parameters.get("file-size").asInt(), "whole blocks");
    }

    @ParameterizedTest
    @CsvSource({
        "mapped, --warmup, 1", "mapped, --block-size, 768", "mapped, --block-size, 256", "mapped, --passes, 0",
        "mapped, --preparation, sparse", "mapped, --sync, always", "mapped, --file-size, 511", "mapped, --dir, nowhere",
        "cpu_loop, --fill, once", "cpu_loop, --sync, fdatasync", "mapped, --iterations, 17",
    })
    void badArgument(String variant, String argument, String value) throws IOException {
        Harness.Result result = run(variant, argument, value);
        assertEquals(2, result.status(), result.err());
        assertTrue(result.err().contains(value), result.err());
        assertEquals(1, result.err().lines().count(), result.err());
        assertFalse(Files.exists(out()));
        assertNothingIsLeft();
    }

    @Test
    void theDirectoryMustBeGiven() {
        String line = "sequential_io --variant mapped --warmup 0 --iterations 1";
        Harness.Result result = Harness.run(Harness.words(line, out()).toArray(new String[0]));
        assertEquals(2, result.status());
        assertTrue(result.err().contains("--dir is missing"), result.err());
    }

    @Test
    void missingSpaceIsNamedWithWhatIsNeededAndFree() throws IOException {
        Harness.Result result = run("mapped", "--file-size", "8000000000000", "--threads", "1000");
        assertEquals(5, result.status(), result.err());
        assertTrue(
                result.err().matches("(?s).*--dir .*: 8000000000000000 bytes are needed and [0-9]+ are free.*"),
                result.err());
        assertNothingIsLeft();
    }

    @Test
    void unwritableDirectory() {
        // No file can be made in /proc by anybody, and it has no space.
        Harness.Result result = run("mapped", "--dir", "/proc");
        assertEquals(5, result.status(), result.err());
        assertTrue(result.err().contains("--dir /proc"), result.err());
    }

    @Test
    void segmentsAreRefusedWithTheReasonWhereMissing() {
        Harness.Result result = run("segment");
        if (Runtime.version().feature() < 22) {
            assertEquals(3, result.status());
            assertTrue(result.err().contains("JDK 22"), result.err());
        } else {
            assertEquals(0, result.status(), result.err());
        }
    }
}
