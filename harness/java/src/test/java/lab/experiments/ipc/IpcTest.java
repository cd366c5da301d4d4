package lab.experiments.ipc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import lab.Experiment;
import lab.Failure;
import lab.Harness;
import lab.Native;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Trials of two ends, and what is refused. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class IpcTest {
    private static final int FLOORS = 5;

    @TempDir
    Path folder;

    @TempDir
    Path files;

    private Path page;

    @BeforeEach
    void makePage() throws IOException {
        Assumptions.assumeTrue(Native.available());
        page = folder.resolve("page");
        Files.write(page, new byte[4096]);
    }

    private List<String> args(int part, String line) {
        String role = part == 0 ? "ping" : "pong";
        return Harness.words(
                "ipc --warmup 1 --iterations 2 --iteration-ms 2 --role " + role + " " + line,
                folder.resolve(part + ".hlog"),
                "--dir",
                files.toString(),
                "--meet",
                page.toString(),
                "--part",
                part + "/2");
    }

    private Harness.Result run(int part, String line) {
        return Harness.run(args(part, line).toArray(new String[0]));
    }

    /** Both ends, which here are two threads of one process. */
    private List<Harness.Result> both(String ping, String pong) {
        CompletableFuture<Harness.Result> other = CompletableFuture.supplyAsync(() -> run(1, pong));
        Harness.Result main = run(0, ping);
        return List.of(main, other.join());
    }

    private List<Harness.Result> both(String line) {
        List<Harness.Result> both = both(line, line);
        for (Harness.Result each : both) {
            assertEquals(0, each.status(), each.err());
        }
        return both;
    }

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
        rows.addAll(of("warmup", series));
        rows.addAll(Collections.nCopies(FLOORS, "floor " + floor));
        rows.addAll(of("measured", series));
        rows.addAll(of("measured", series));
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
        assertTrue(both.get(0).measures("word_ns").get(0) > 0);
        assertEquals(1, both.get(0).measures("added_ns").size());
        assertEquals(List.of(), both.get(1).measures("word_ns"));
        assertEquals(3, both.get(1).measures("minor_faults").size());
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
        assertEquals(3, both.get(0).measures("full").size());
        assertEquals(3, both.get(1).measures("empty").size());
        boolean ring = variant.startsWith("ring") || variant.equals("agrona");
        assertEquals(ring ? 3 : 0, both.get(1).measures("in_ring").size());
        assertEquals(ring, checks(both.get(0)).contains("iterations after which a ring was not empty"));
        assertTrue(checks(both.get(1)).contains("messages received equal messages sent"));
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ring", "agrona", "tcp"})
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
    })
    void sizesAndWritesOfEveryKind(String variant, String more) {
        List<Harness.Result> both = both("--variant " + variant + " --pattern stream " + more);
        assertEquals(operations(both.get(0), "stream.out"), operations(both.get(1), "stream.in"));
    }

    /** The main part may be the one that answers. */
    @Test
    void theMainPartLeavesWhatBothSee() {
        String line = "--variant ring --sample-every 1";
        CompletableFuture<Harness.Result> other =
                CompletableFuture.supplyAsync(() -> Harness.run(swapped(1, line).toArray(new String[0])));
        Harness.Result main = Harness.run(swapped(0, line).toArray(new String[0]));
        assertEquals(0, main.status(), main.err());
        assertEquals(0, other.join().status(), other.join().err());
        assertEquals(expected("floor.pong", "hop.pong"), rows(main));
        assertEquals(1, main.measures("word_ns").size());
        assertEquals(List.of(), other.join().measures("added_ns"));
    }

    private List<String> swapped(int part, String line) {
        List<String> args = args(part, line);
        args.set(args.indexOf("--role") + 1, part == 0 ? "pong" : "ping");
        return args;
    }

    private List<String> solo(String more) {
        String line = "ipc --variant ring_solo --pattern stream --warmup 1 --iterations 2 --iteration-ms 1" + more;
        return Harness.words(line, folder.resolve("s.hlog"), "--dir", files.toString());
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

    @Test
    void aRingThatIsGivenMustBeOneAndEmpty() throws IOException {
        Path file = folder.resolve("ring");
        RingFile.create(file, 4096, BufferMemory::map);
        assertEquals(
                0, Harness.run(solo(" --ring " + file).toArray(new String[0])).status());
        assertTrue(Files.exists(file));
        Ring ring = RingFile.attach(file, BufferMemory::map);
        RingProducer producer = new RingProducer(ring);
        producer.claim(60);
        producer.commit();
        refused(solo(" --ring " + file), "--ring " + file + ": 64 bytes of messages wait in it: give an empty ring");
        ring.memory.putInt(8, 2);
        refused(solo(" --ring " + file), "--ring " + file + ": version 2, this program knows 1");
    }

    private static void refused(List<String> args, String cause) {
        Harness.Result result = Harness.run(args.toArray(new String[0]));
        assertEquals("lab: " + cause + "\n", result.err());
        assertEquals(Failure.BAD_ARGUMENT, result.status());
        assertEquals("", result.out());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--variant word --pattern stream | "
                        + "--pattern stream: must be round_trip for word, which has no messages",
                "--variant ring --size 59 | --size 59: must be 16, or 60 and a multiple of 8",
                "--variant ring --size 16 --pattern paced | --size 16: has no room for the time that paced sends",
                "--variant ring --capacity 5000 | --capacity 5000: must be a power of two",
                "--variant ring --capacity 4096 --size 508 | "
                        + "--size 508: must be at most 504, an eighth of --capacity 4096 less 8",
                "--variant ring --threads 2 | --threads 2: must be 1: the ends are processes",
                "--variant ring --writes-of 2 --pattern stream | "
                        + "--writes-of 2: must be 1: only a stream through pipe, unix or tcp writes several "
                        + "messages at once",
                "--variant ring --ring x | --ring x: only ring_solo takes a file that exists",
                "--variant ring_solo --pattern stream | --variant ring_solo: is one process, without --meet and --part",
            })
    void whatCannotBeMeasuredIsRefused(String line, String cause) {
        refused(args(0, line.trim()), cause.trim());
    }

    @Test
    void anEndAloneIsRefused() {
        List<String> args = args(0, "--variant ring");
        args = args.subList(0, args.indexOf("--meet"));
        refused(args, "--variant ring: is two processes; start both with --meet FILE --part 0/2 and 1/2");
        refused(
                Harness.words(
                        "ipc --variant ring_solo --warmup 0 --iterations 1",
                        folder.resolve("o.hlog"),
                        "--dir",
                        "/nowhere"),
                "--pattern round_trip: must be stream for ring_solo, which has one end");
    }

    @Test
    void aFolderThatIsNotThereIsRefused() {
        List<String> args = args(0, "--variant ring");
        args.set(args.indexOf("--dir") + 1, "/nowhere");
        refused(args, "--dir /nowhere: must be an existing directory");
    }

    @Test
    void endsOfDifferentSizesAreTold() {
        List<Harness.Result> both = both("--variant ring --size 60", "--variant ring --size 68");
        List<String> told = new ArrayList<>();
        for (Harness.Result each : both) {
            assertEquals(Failure.CHECK_FAILED, each.status());
            told.add(each.err().trim());
        }
        told.remove("lab: another part failed");
        assertEquals(1, told.size());
        assertTrue(told.get(0).endsWith("give both parts --size 68"), told.get(0));
    }

    /** A process of its own. */
    private Process start(int part, String line) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "lab.Main"));
        command.addAll(args(part, line));
        command.set(command.indexOf("--iterations") + 1, "100000");
        return new ProcessBuilder(command)
                .redirectOutput(new File(folder.toString(), part + ".out"))
                .redirectError(new File(folder.toString(), part + ".err"))
                .start();
    }

    /** Killed, whichever end it is, and whatever the other waits in. */
    @ParameterizedTest
    @CsvSource({"ring, 0", "ring, 1", "tcp, 0", "tcp, 1", "pipe, 1"})
    void anEndThatDiesEndsTheOther(String variant, int killed) throws Exception {
        List<Process> both = new ArrayList<>();
        for (int part = 0; part < 2; part++) {
            both.add(start(part, "--variant " + variant));
        }
        // Past the floor.
        while (ByteBuffer.wrap(Files.readAllBytes(page))
                        .order(ByteOrder.nativeOrder())
                        .getLong(128)
                < 2 * (FLOORS + 3)) {
            assertTrue(both.get(0).isAlive() && both.get(1).isAlive(), Files.readString(folder.resolve("0.err")));
            Thread.sleep(5);
        }
        both.get(killed).destroyForcibly().waitFor();
        assertEquals(Failure.CHECK_FAILED, both.get(1 - killed).waitFor());
        assertEquals("lab: another part failed\n", Files.readString(folder.resolve((1 - killed) + ".err")));
        assertFalse(Files.exists(folder.resolve((1 - killed) + ".hlog")));
    }
}
