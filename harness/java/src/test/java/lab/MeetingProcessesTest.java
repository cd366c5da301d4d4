package lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of a trial that are processes: their iterations are together, and none outlives another. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class MeetingProcessesTest extends OnAPage {
    private static final String LOCKS = "lock_scaling --variant monitor --warmup 0 --iteration-ms 1 --iterations ";
    private static final String FAILED = "lab: another part failed\n";

    /** A process of its own. */
    private Process start(int part, String line) throws IOException {
        Assumptions.assumeTrue(Native.available());
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "lab.Main"));
        command.addAll(
                Harness.words(line, folder.resolve(part + ".hlog"), "--meet", page.toString(), "--part", part + "/2"));
        return new ProcessBuilder(command)
                .redirectOutput(new File(folder.toString(), part + ".out"))
                .redirectError(new File(folder.toString(), part + ".err"))
                .start();
    }

    private Harness.Result end(int part, Process process) throws Exception {
        return new Harness.Result(
                process.waitFor(),
                Files.readString(folder.resolve(part + ".out")),
                Files.readString(folder.resolve(part + ".err")));
    }

    /** One clock for all processes: no part begins an iteration before every other has ended the one before. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                LOCKS + "200",
                LOCKS + "50 --threads 3",
                "queues --variant abq_block --warmup 4 --iterations 3 --iteration-ms 5 --load 20",
            })
    void processesHaveTheirIterationsTogether(String line) throws Exception {
        Process first = start(0, line);
        Harness.Result second = end(1, start(1, line));
        long[][] one = stretches(end(0, first));
        long[][] other = stretches(second);
        assertEquals(one.length, other.length);
        for (int i = 1; i < one.length; i++) {
            assertTrue(one[i][0] >= other[i - 1][1], "the first is ahead in iteration " + i);
            assertTrue(other[i][0] >= one[i - 1][1], "the second is ahead in iteration " + i);
        }
    }

    /** Start and end of every iteration, over all series. */
    private static long[][] stretches(Harness.Result result) {
        assertEquals(Failure.MEASURED, result.status(), result.err());
        JsonNode rows = result.json().get("iterations");
        List<long[]> found = new ArrayList<>();
        for (int row = 0; row < rows.get("iteration").size(); row++) {
            if (rows.get("iteration").get(row).asInt() == found.size()) {
                found.add(new long[] {Long.MAX_VALUE, 0});
            }
            long[] each = found.get(rows.get("iteration").get(row).asInt());
            long start = rows.get("start_ns").get(row).asLong();
            each[0] = Math.min(each[0], start);
            each[1] = Math.max(each[1], start + rows.get("elapsed_ns").get(row).asLong());
        }
        return found.toArray(new long[0][]);
    }

    /** Killed, it cannot say so: the kernel lifts its lock on the page. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPartThatDiesEndsTheOther(boolean killed) throws Exception {
        Process first = start(0, LOCKS + "100000");
        Process second = start(1, LOCKS + "100000");
        assertTimeoutPreemptively(Harness.PATIENCE, () -> {
            while (ByteBuffer.wrap(Files.readAllBytes(page))
                            .order(ByteOrder.nativeOrder())
                            .getLong(128)
                    < 16) {
                Thread.sleep(10);
            }
        });
        if (killed) {
            second.destroyForcibly();
        } else {
            second.destroy();
        }
        second.waitFor();
        Harness.Result result = end(0, first);
        assertEquals(Failure.CHECK_FAILED, result.status(), result.err());
        assertEquals(FAILED, result.err());
        assertEquals("", result.out());
        assertTrue(Files.notExists(folder.resolve("0.hlog")) && Files.notExists(folder.resolve("0.hlog.part")));
    }
}
