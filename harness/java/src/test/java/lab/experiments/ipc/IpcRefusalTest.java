package lab.experiments.ipc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import lab.Failure;
import lab.Harness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What cannot be measured, in one line. */
class IpcRefusalTest extends TwoEnds {
    @Test
    void aRingThatIsGivenMustBeOneAndEmpty() throws IOException {
        Path file = folder.resolve("ring");
        RingFile.create(file, 4096, BufferMemory::map);
        assertEquals(
                0, Harness.run(solo(" --ring " + file).toArray(new String[0])).status());
        assertTrue(Files.exists(file));
        Ring ring = RingFile.attach(file, BufferMemory::map);
        Ring.Producer producer = new Ring.Producer(ring);
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
}
