package lab.experiments.signalling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
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

class SignallingLatencyTest {
    private static final int DEFECT = 1;

    @TempDir
    Path folder;

    private Path out() {
        return folder.resolve("o.hlog");
    }

    private String[] args(String experiment, String variant, int threads, int sampleEvery) {
        return args(experiment, variant, threads, sampleEvery, 2);
    }

    private String[] args(String experiment, String variant, int threads, int sampleEvery, int millis) {
        String line = experiment + " --variant " + variant + " --threads " + threads
                + " --warmup 1 --iterations 3 --sample-every " + sampleEvery + " --iteration-ms " + millis;
        return Harness.words(line, out()).toArray(new String[0]);
    }

    static Stream<String> variants() {
        return new SignallingLatency().variants().stream().map(Experiment.Variant::name);
    }

    @ParameterizedTest
    @MethodSource("variants")
    void everyHandoverIsAnswered(String variant) throws IOException {
        for (int every : List.of(1, 4)) {
            Harness.Result result = Harness.run(args("signalling_latency", variant, 2, every));
            assertEquals(0, result.status(), result.err());
            JsonNode rows = result.json().get("iterations");
            List<Histogram> log = Harness.log(out());
            assertEquals(8, log.size());
            double sum = 0;
            for (int row = 0; row < log.size(); row += 2) {
                long passed = rows.get("operations").get(row).asLong();
                assertEquals("t0", log.get(row).getTag());
                assertEquals(passed, rows.get("operations").get(row + 1).asLong());
                // The last round trip of an iteration says that it is the last, and is not timed.
                assertEquals(passed - 1, every * log.get(row).getTotalCount());
                sum += 2 * passed;
            }
            assertEquals(variant.equals("spin") ? List.of() : List.of(sum), result.measures("handovers"));
        }
    }

    @Test
    void takesTwoThreads() {
        for (int threads : List.of(1, 3)) {
            Harness.Result result = Harness.run(args("signalling_latency", "park", threads, 1));
            assertEquals(2, result.status());
            assertTrue(result.err().contains("--threads " + threads), result.err());
        }
    }

    /**
     * The iteration is so long that it does not end at the wrong hand-over, where both sides would wait for good,
     * unless the host takes the CPU away just then.
     */
    @Test
    void wrongNumberIsReported() {
        String cause = "hand-overs lost, repeated or out of order";
        Harness.Result result = Harness.until(
                tried -> tried.err().contains(cause), () -> run(BrokenSignal.skipping(new Signal.ByCondition()), 60));
        assertEquals(4, result.status());
        assertTrue(result.err().contains(cause), result.err());
        assertFalse(result.json().get("checks").get(1).get("passed").asBoolean());
    }

    static Stream<Signal> sound() {
        return Stream.of(
                new Signal.ByCondition(),
                new Signal.ByMonitor(),
                new Signal.ByPark(),
                new Signal.BySynchronousQueue(),
                new Signal.ByExchanger());
    }

    @ParameterizedTest
    @MethodSource("sound")
    void failureOfOneThreadWakesTheOther(Signal sound) {
        Harness.Result result = assertTimeoutPreemptively(Harness.PATIENCE, () -> run(BrokenSignal.failing(sound)));
        assertEquals(DEFECT, result.status());
        assertTrue(result.err().contains("the third hand-over"), result.err());
    }

    /** All but the exchanger: without the one hand-over, the waits of both sides would meet in it. */
    static Stream<Signal> losable() {
        return sound().filter(signal -> !(signal instanceof Signal.ByExchanger));
    }

    @ParameterizedTest
    @MethodSource("losable")
    void aLostSignalEndsTheTrial(Signal sound) {
        Harness.Result result = assertTimeoutPreemptively(Harness.PATIENCE, () -> run(BrokenSignal.losing(sound)));
        assertEquals(4, result.status());
        assertEquals(1, result.err().lines().count());
        assertTrue(result.err().contains("no iteration ended in 0.206 s"), result.err());
        assertEquals("", result.out());
        assertFalse(Files.exists(out()));
    }

    private Harness.Result run(Signal signal) {
        return run(signal, 2);
    }

    private Harness.Result run(Signal signal, int millis) {
        Experiment given = Scripted.inPlaceOf(new SignallingLatency(), signal::measure);
        return Harness.run(List.of(given), args("scripted", "v", 2, 1, millis));
    }
}
