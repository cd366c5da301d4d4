package lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log and the rows, through experiments made up for the purpose. */
class RecorderTest {
    @TempDir
    Path folder;

    private Harness.Result run(int threads, Consumer<Trial> script) {
        String line = "scripted --variant v --threads " + threads + " --warmup 0 --iterations 3 --iteration-ms 1";
        return Harness.run(
                List.of(new Scripted(script)), Harness.words(line, out()).toArray(new String[0]));
    }

    private Path out() {
        return folder.resolve("o.hlog");
    }

    private static Consumer<Trial> samples(long... values) {
        return trial -> {
            Series series = trial.recorder().series("s");
            for (long value : values) {
                series.add(value);
            }
            trial.recorder().append(series, 0, "measured", System.nanoTime(), System.nanoTime(), values.length);
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Encoder.HIGHEST + 1, Long.MAX_VALUE, Long.MIN_VALUE})
    void valueOutOfRangeFailsTheTrialAndKeepsTheEvidence(long value) throws IOException {
        Harness.Result result = run(1, samples(5, value, 7));
        assertEquals(Failure.CHECK_FAILED, result.status());
        assertTrue(result.err().contains(value + " ns in series s"), result.err());
        assertFalse(result.json().get("checks").get(0).get("passed").asBoolean());
        assertEquals(2, Harness.log(out()).get(0).getTotalCount());
    }

    @Test
    void limitsThemselvesAreInRange() throws IOException {
        Harness.Result result = run(1, samples(0, 1, Encoder.HIGHEST));
        assertEquals(Failure.MEASURED, result.status(), result.err());
        assertEquals(3, Harness.log(out()).get(0).getTotalCount());
    }

    @Test
    void bufferGrowsAndNoSampleIsLost() throws IOException {
        long[] values = new Random(1).longs(100_000, 1, 1_000_000).toArray();
        assertEquals(Failure.MEASURED, run(1, samples(values)).status());
        assertEquals(values.length, Harness.log(out()).get(0).getTotalCount());
    }

    @Test
    void linesAreThoseOfTheReferenceWriter() {
        Clock clock = new Clock();
        long[] empty = {0};
        long[] few = {3, 1, 1_500, 999_999_500};
        long[] many = new Random(2).longs(5_000, 1, 3_000_000_000L).toArray();
        many[0] = many.length - 1;
        for (long[] samples : List.of(empty, few, many)) {
            Series series = new Series("read", null);
            series.startNanos = clock.monotonicNanos + 1_234_567_890L;
            series.elapsedNanos = 5_000_000;
            String line =
                    new String(new Encoder(clock).encode(series, samples, new long[1]), StandardCharsets.ISO_8859_1);
            assertEquals(reference("read", clock.epochMillis + 1_234, clock.epochMillis + 1_239, samples), line);
        }
    }

    private static String reference(String tag, long startMillis, long endMillis, long[] samples) {
        Histogram histogram = new Histogram(1, 3_600_000_000_000L, 3);
        for (int i = 1; i <= samples[0]; i++) {
            histogram.recordValue(samples[i]);
        }
        histogram.setTag(tag);
        histogram.setStartTimeStamp(startMillis);
        histogram.setEndTimeStamp(endMillis);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        HistogramLogWriter writer = new HistogramLogWriter(bytes);
        writer.outputIntervalHistogram(histogram);
        writer.close();
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    @Test
    void failedCheckIsNamedAndKeepsTheLog() {
        Harness.Result result = run(1, trial -> trial.recorder().check("checksum \"a\\b\"\u00e9", 1, 2));
        assertEquals(Failure.CHECK_FAILED, result.status());
        assertTrue(result.err().contains("expected 1, found 2"), result.err());
        assertEquals(
                "checksum \"a\\b\"\u00e9",
                result.json().get("checks").get(0).get("name").asText());
        assertTrue(Files.exists(out()));
    }

    @Test
    void failureOfOneWorkerReleasesTheOthersAndLeavesNothing() throws IOException {
        Harness.Result result = run(3, trial -> Workers.platform(trial).run((worker, from, to) -> {
            worker.begin(from);
            if (worker.index() == 1) {
                throw Failure.resource("the disk");
            }
            worker.end(System.nanoTime(), 1);
        }));
        assertEquals(Failure.NO_RESOURCES, result.status());
        assertEquals("lab: the disk\n", result.err());
        assertEquals(0, Files.list(folder).count());
    }

    @Test
    void rowsComeInOrderAndIterationsDoNotOverlap() {
        Harness.Result result = run(3, trial -> Workers.platform(trial).run((worker, from, to) -> {
            long deadline = worker.begin(from);
            long now = System.nanoTime();
            while (now < deadline) {
                now = System.nanoTime();
            }
            worker.end(now, worker.index());
        }));
        assertEquals(Failure.MEASURED, result.status(), result.err());
        var rows = result.json().get("iterations");
        assertEquals("[0,0,0,1,1,1,2,2,2]", rows.get("iteration").toString());
        assertEquals("[0,1,2,0,1,2,0,1,2]", rows.get("operations").toString());
        long latestEnd = 0;
        for (int iteration = 0; iteration < 3; iteration++) {
            long nextLatest = 0;
            for (int row = 3 * iteration; row < 3 * iteration + 3; row++) {
                long start = rows.get("start_ns").get(row).asLong();
                long elapsed = rows.get("elapsed_ns").get(row).asLong();
                assertTrue(start >= latestEnd);
                assertTrue(start + elapsed >= latestEnd + 1_000_000);
                nextLatest = Math.max(nextLatest, start + elapsed);
            }
            latestEnd = nextLatest;
        }
    }

    @Test
    void defectIsOneLineWithoutTrace() throws IOException {
        Harness.Result result = run(1, trial -> {
            throw new IllegalStateException("oops");
        });
        assertEquals(1, result.status());
        assertEquals(1, result.err().lines().count());
        assertEquals(0, Files.list(folder).count());
    }
}
