package lab.experiments.ipc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import lab.Experiment;
import lab.Harness;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Trials of two ends: what they leave. */
class IpcTest extends TwoEnds {
    /** Of one iteration of warm-up and two that are measured; the C harness has the same. */
    private static final List<String> PHASES = List.of(
            ("warmup floor_warmup wake_warmup wake floor wake floor wake floor measured wake floor wake floor measured")
                    .split(" "));

    private static List<String> rows(Harness.Result result) {
        JsonNode rows = result.json().get("iterations");
        List<String> found = new ArrayList<>();
        for (int i = 0; i < rows.get("series").size(); i++) {
            found.add(rows.get("phase").get(i).asText() + " "
                    + rows.get("series").get(i).asText());
        }
        return found;
    }

    private static long operations(Harness.Result result, String series) {
        JsonNode rows = result.json().get("iterations");
        long sum = 0;
        for (int i = 0; i < rows.get("series").size(); i++) {
            if (rows.get("series").get(i).asText().equals(series)) {
                sum += rows.get("operations").get(i).asLong();
            }
        }
        return sum;
    }

    private static List<String> of(String phase, String... series) {
        return Stream.of(series).map(each -> phase + " " + each).toList();
    }

    private static List<String> expected(String floor, String... series) {
        List<String> rows = new ArrayList<>();
        for (String phase : PHASES) {
            String wake = floor.replace("floor", "wake");
            rows.addAll(
                    phase.startsWith("floor")
                            ? of(phase, floor)
                            : phase.startsWith("wake") ? of(phase, wake) : of(phase, series));
        }
        return rows;
    }

    private static List<String> checks(Harness.Result result) {
        List<String> names = new ArrayList<>();
        for (JsonNode check : result.json().get("checks")) {
            names.add(check.get("name").asText());
        }
        return names;
    }

    private void assertNothingIsLeft() throws IOException {
        try (Stream<Path> left = Files.list(files)) {
            assertEquals(List.of(), left.toList());
        }
    }

    static List<String> carriers() {
        List<String> names = new ArrayList<>();
        for (Experiment.Variant each : new Ipc().variants()) {
            if (each.supported() && !List.of("word", "ring_solo").contains(each.name())) {
                names.add(each.name());
            }
        }
        return names;
    }

    @ParameterizedTest
    @MethodSource("carriers")
    void messagesGoToAndFro(String variant) throws IOException {
        List<Harness.Result> both = both("--variant " + variant + " --pattern round_trip --sample-every 4");
        assertEquals(expected("floor.ping", "hop.ping", "rtt"), rows(both.get(0)));
        assertEquals(expected("floor.pong", "hop.pong"), rows(both.get(1)));
        assertEquals(operations(both.get(0), "hop.ping"), operations(both.get(1), "hop.pong"));
        assertEquals(operations(both.get(0), "floor.ping"), operations(both.get(1), "floor.pong"));
        List<Histogram> log = Harness.log(folder.resolve("0.hlog"));
        Histogram trips = log.get(log.size() - 1);
        JsonNode operations = both.get(0).json().get("iterations").get("operations");
        assertEquals(operations.get(log.size() - 1).asLong(), 4 * trips.getTotalCount() + 1);
        assertEquals(operations(both.get(0), "wake.ping"), operations(both.get(1), "wake.pong"));
        for (Harness.Result each : both) {
            assertEquals(3, each.measures("minor_faults").size());
            assertEquals(3, each.measures("slept").size());
            assertTrue(each.measures("cpu_ns").stream().allMatch(used -> used > 0), "CPU time of an end that works");
        }
        boolean sleeper = List.of("ring_futex", "pipe", "unix", "tcp").contains(variant);
        double slept = both.get(0).measures("slept").stream()
                .mapToDouble(Double::doubleValue)
                .sum();
        assertTrue(!sleeper || slept > 0, "it sleeps, and never slept");
        assertTrue(checks(both.get(0)).contains("answers equal questions"));
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @MethodSource("carriers")
    void messagesGoOneWay(String variant) throws IOException {
        List<Harness.Result> both = both("--variant " + variant + " --pattern stream");
        assertEquals(expected("floor.ping", "stream.out"), rows(both.get(0)));
        assertEquals(expected("floor.pong", "stream.in", "transit"), rows(both.get(1)));
        assertEquals(operations(both.get(0), "stream.out"), operations(both.get(1), "stream.in"));
        assertEquals(List.of(), both.get(0).measures("cpu_ns"));
        assertEquals(3, both.get(1).measures("cpu_ns").size());
        assertEquals(3, both.get(0).measures("full").size());
        assertEquals(3, both.get(1).measures("empty").size());
        boolean ring = variant.startsWith("ring") || variant.equals("agrona");
        List<Double> over = both.get(1).measures("in_ring_ns");
        // None of an iteration whose end came before its first sample.
        assertTrue(ring ? over.size() <= 3 : over.isEmpty(), "nanoseconds: " + over);
        assertTrue(over.stream().allMatch(each -> each > 0), "nanoseconds: " + over);
        assertEquals(over.size(), both.get(1).measures("in_ring_sum").size());
        assertEquals(ring, checks(both.get(0)).contains("iterations after which a ring was not empty"));
        assertTrue(checks(both.get(1)).contains("messages received equal messages sent"));
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ring", "ring_futex", "agrona", "tcp", "tcp_spin"})
    void messagesGoAtARate(String variant) throws IOException {
        List<Harness.Result> both = both("--variant " + variant + " --pattern paced --rate 20000");
        assertEquals(expected("floor.ping", "stream.out", "sent_late"), rows(both.get(0)));
        assertEquals(expected("floor.pong", "stream.in", "transit"), rows(both.get(1)));
        JsonNode operations = both.get(1).json().get("iterations").get("operations");
        for (Path each : List.of(folder.resolve("0.hlog"), folder.resolve("1.hlog"))) {
            List<Histogram> log = Harness.log(each);
            long last = operations.get(operations.size() - 1).asLong();
            // The last message of an iteration has a sum in place of a time.
            assertEquals(last - 1, log.get(log.size() - 1).getTotalCount());
            // What is due every 50 us in 2 ms, less the lead; fewer where the iteration began late.
            assertTrue(last <= 41, "messages: " + last);
        }
        assertTrue(checks(both.get(1)).contains("messages that arrived before they were sent"));
        List<Double> sending = both.get(0).measures("sending_ns");
        assertTrue(sending.stream().allMatch(spent -> spent >= 0), "sending: " + sending);
        // The last message of an iteration is not timed, and an iteration that began late has no other.
        boolean others = operations(both.get(0), "stream.out") > sending.size();
        assertTrue(!others || sending.stream().anyMatch(spent -> spent > 0), "sending takes time");
    }

    @Test
    void aWordGoesToAndFro() throws IOException {
        List<Harness.Result> both = both("--variant word");
        assertEquals(expected("floor.ping", "hop.ping", "rtt"), rows(both.get(0)));
        assertEquals(expected("floor.pong", "hop.pong"), rows(both.get(1)));
        assertEquals(operations(both.get(0), "hop.ping"), operations(both.get(1), "hop.pong"));
        assertEquals(
                "bare words lost, repeated or out of order", checks(both.get(1)).get(0));
    }

    @ParameterizedTest
    @CsvSource({
        "ring, --size 16 --capacity 4096",
        "ring, --size 252 --capacity 4096 --hint none",
        "ring, --size 500 --capacity 4096",
        "agrona, --size 16 --capacity 4096",
        "unix, --size 4092",
        "tcp, --writes-of 64",
        "pipe, --writes-of 3 --size 16",
        "pipe_spin, --writes-of 64 --size 1020",
        "tcp_spin, --size 65532",
        "ring, --hint yield",
    })
    void sizesAndWritesOfEveryKind(String variant, String more) {
        List<Harness.Result> both = both("--variant " + variant + " --pattern stream " + more);
        assertEquals(operations(both.get(0), "stream.out"), operations(both.get(1), "stream.in"));
    }

    @Test
    void theMainPartMayBeTheOneThatAnswers() {
        String line = "--variant ring --sample-every 1";
        CompletableFuture<Harness.Result> other =
                CompletableFuture.supplyAsync(() -> Harness.run(swapped(1, line).toArray(new String[0])));
        Harness.Result main = Harness.run(swapped(0, line).toArray(new String[0]));
        assertEquals(0, main.status(), main.err());
        assertEquals(0, other.join().status(), other.join().err());
        assertEquals(expected("floor.pong", "hop.pong"), rows(main));
    }

    private List<String> swapped(int part, String line) {
        List<String> args = args(part, line);
        args.set(args.indexOf("--role") + 1, part == 0 ? "pong" : "ping");
        return args;
    }

    @Test
    void oneThreadIsBothEnds() throws IOException {
        for (String more : List.of("", " --size 500 --capacity 4096")) {
            Harness.Result result = Harness.run(solo(more).toArray(new String[0]));
            assertEquals(0, result.status(), result.err());
            assertEquals(List.of("warmup stream.in", "measured stream.in", "measured stream.in"), rows(result));
            assertNothingIsLeft();
        }
    }
}
