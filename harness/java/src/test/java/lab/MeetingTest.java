package lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of a trial, in one process: the page they meet on, and what ends them all. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class MeetingTest extends OnAPage {
    private static final String LOCKS = "lock_scaling --variant monitor --warmup 0 --iteration-ms 1 --iterations 1";

    private Meeting join(int part) {
        Assumptions.assumeTrue(Native.available());
        return Meeting.of(page.toString(), part + "/2");
    }

    private int broken() throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(page))
                .order(ByteOrder.nativeOrder())
                .getInt(256);
    }

    private String refusal(String... arguments) {
        List<String> args = Harness.words(LOCKS, folder.resolve("o.hlog"), arguments);
        Harness.Result result = Harness.run(args.toArray(new String[0]));
        assertEquals(Failure.BAD_ARGUMENT, result.status(), result.err());
        assertEquals("", result.out());
        assertEquals(1, result.err().lines().count(), result.err());
        return result.err().trim();
    }

    @Test
    void oneArgumentNeedsTheOther() {
        assertEquals("lab: --meet p: give --part I/N with it", refusal("--meet", "p"));
        assertEquals("lab: --part 0/2: give --meet FILE with it", refusal("--part", "0/2"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"2/2", "3/2", "0/1", "0/0", "-1/2", "0/65", "0/200", "0", "", "a/b", "0/2x", " 0/2", "00/2"})
    void aPartIsOneOfSeveral(String part) {
        assertEquals(
                "lab: --part " + part + ": give I/N, part I of N, with I from 0 to N-1 and N from 2 to 64",
                refusal("--meet", page.toString(), "--part", part));
    }

    @ParameterizedTest
    @CsvSource({
        "none, there is no such file",
        "., not a meeting page: it must be a file of 4096 bytes",
        "empty, not a meeting page: it must be a file of 4096 bytes",
        "longer, not a meeting page: it must be a file of 4096 bytes",
        "foreign, not a meeting page: it begins with 0x",
    })
    void aPageIsThereAndIsOne(String name, String cause) throws IOException {
        Files.write(folder.resolve("empty"), new byte[0]);
        Files.write(folder.resolve("longer"), new byte[4097]);
        byte[] foreign = new byte[4096];
        System.arraycopy("LABRING1".getBytes(StandardCharsets.US_ASCII), 0, foreign, 0, 8);
        Files.write(folder.resolve("foreign"), foreign);
        String file = folder.resolve(name).toString();
        String told = refusal("--meet", file, "--part", "0/2");
        assertTrue(told.startsWith("lab: --meet " + file + ": " + cause), told);
    }

    @Test
    void twoProcessesAreNotTheSamePart() {
        Meeting first = join(1);
        assertEquals(
                "lab: --part 1/2: another process is this part of " + page + " already",
                refusal("--meet", page.toString(), "--part", "1/2"));
        assertEquals(1, first.part());
    }

    /** The page as harness/README.md describes it. */
    @Test
    void thePageHasItsLayout() throws IOException {
        Meeting meeting = join(1);
        meeting.setRelease(0, 7);
        meeting.setOpaque(Meeting.WORDS - 1, -8);
        assertThrows(Failure.class, () -> meeting.compiled(2, true, 0));
        meeting.fix();
        meeting.breakUp();
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(page)).order(ByteOrder.nativeOrder());
        assertEquals("LABMEET1", new String(bytes.array(), 0, 8, StandardCharsets.US_ASCII));
        assertEquals(1, bytes.getLong(128));
        assertEquals(2, bytes.getInt(256));
        assertEquals(3, bytes.getInt(384));
        assertEquals(1, bytes.getInt(388));
        assertEquals(7, bytes.getLong(512));
        assertEquals(-8, bytes.getLong(512 + 128 * (Meeting.WORDS - 1)));
        assertEquals(7, meeting.getAcquire(0));
        assertEquals(-8, meeting.getOpaque(Meeting.WORDS - 1));
        assertThrows(IndexOutOfBoundsException.class, () -> meeting.getOpaque(Meeting.WORDS));
        assertThrows(IndexOutOfBoundsException.class, () -> meeting.setOpaque(-1, 0));
    }

    @Test
    void aPartAloneHasWordsAndWaitsForNobody() {
        Meeting alone = Meeting.of(null, null);
        assertEquals(1, alone.parts());
        alone.meet(0);
        alone.endIfHopeless(System.nanoTime());
        for (int word = 0; word < Meeting.WORDS; word++) {
            assertEquals(0, alone.getAcquire(word));
            alone.setRelease(word, word + 1);
            assertEquals(word + 1, alone.getOpaque(word));
        }
    }

    /** Nobody leaves a round before all are in it, nor is anyone more than one round ahead. */
    @Test
    void partsAreInOneRound() {
        int rounds = 1000;
        Consumer<Meeting> meets = meeting -> {
            for (int round = 1; round <= rounds; round++) {
                meeting.setOpaque(meeting.part(), round);
                meeting.meet(Workers.GRACE_NANOS);
                long seen = meeting.getOpaque(1 - meeting.part());
                assertTrue(seen == round || seen == round + 1, "in round " + round + ": " + seen);
            }
        };
        Meeting second = join(1);
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> meets.accept(second));
        meets.accept(join(0));
        other.join();
        assertEquals(rounds, second.getOpaque(0));
    }

    /** Both know what one of them compiled, in the iteration in which it did, unless one is fixed. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void partsAgreeOnWhatWasCompiled(boolean fixed) {
        Consumer<Meeting> ends = meeting -> {
            if (fixed && meeting.part() == 1) {
                meeting.fix();
            }
            for (int iteration = 0; iteration < 100; iteration++) {
                boolean mine = iteration % 5 == meeting.part();
                boolean any = !fixed && iteration % 5 < 2;
                assertEquals(any, meeting.compiled(iteration, mine, Workers.GRACE_NANOS), "iteration " + iteration);
                meeting.meet(Workers.GRACE_NANOS);
            }
        };
        Meeting second = join(1);
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> ends.accept(second));
        ends.accept(join(0));
        other.join();
    }

    @Test
    void whoDoesNotComeIsNotWaitedForForEver() {
        Failure given = assertThrows(Failure.class, () -> join(0).meet(1_000_000));
        assertEquals("the other parts did not come to the meeting in 0.00100 s", given.getMessage());
        assertEquals(Failure.CHECK_FAILED, given.status());
    }

    @Test
    void aWaitEndsWhereAnotherPartFailedOrNothingComes() throws IOException {
        Meeting first = join(0);
        Meeting second = join(1);
        first.endIfHopeless(System.nanoTime());
        long past = System.nanoTime() - Workers.GRACE_NANOS - 1;
        Failure nothing = assertThrows(Failure.class, () -> first.endIfHopeless(past));
        assertEquals("nothing came from another part for 10 s past the end of the iteration", nothing.getMessage());
        second.breakUp();
        first.breakUp();
        assertEquals(2, broken());
        Failure another = assertThrows(Failure.class, () -> first.endIfHopeless(System.nanoTime()));
        assertEquals("another part failed", another.getMessage());
        assertThrows(Failure.class, () -> first.meet(Workers.GRACE_NANOS));
    }

    /** Whatever is wrong with one part, the others need not wait for it. */
    @ParameterizedTest
    @CsvSource({"--cpus, 4095", "--out, /nowhere/x.hlog", "--nonsense, 1", "--variant, no_lock"})
    void aPartThatCannotBeginTellsTheOthers(String argument, String value) throws IOException {
        Meeting other = join(0);
        List<String> args = new ArrayList<>(Harness.words(
                "lock_scaling --variant monitor --threads 2 --warmup 0 --iterations 1",
                folder.resolve("o.hlog"),
                "--meet",
                page.toString(),
                "--part",
                "1/2"));
        int at = args.indexOf(argument);
        if (at >= 0) {
            args.set(at + 1, value);
        } else {
            args.addAll(List.of(argument, value));
        }
        assertEquals(
                Failure.BAD_ARGUMENT, Harness.run(args.toArray(new String[0])).status());
        assertEquals(2, broken());
        assertThrows(Failure.class, () -> other.meet(Workers.GRACE_NANOS));
    }

    @Test
    void aFailedCheckTellsTheOthers() throws IOException {
        Meeting other = join(1);
        Scripted failing = new Scripted(trial -> {
            assertEquals(2, trial.meeting().parts());
            trial.recorder().check("one", 1, 2);
        });
        List<String> args = Harness.words(
                "scripted --variant v --warmup 0 --iterations 1",
                folder.resolve("o.hlog"),
                "--meet",
                page.toString(),
                "--part",
                "0/2");
        Harness.Result result = Harness.run(List.of(failing), args.toArray(new String[0]));
        assertEquals(Failure.CHECK_FAILED, result.status(), result.err());
        assertEquals("\"0/2\"", result.json().get("parameters").get("part").toString());
        assertEquals(1, broken());
        assertThrows(Failure.class, () -> other.endIfHopeless(System.nanoTime()));
    }
}
