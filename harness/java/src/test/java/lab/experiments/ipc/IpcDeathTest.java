package lab.experiments.ipc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import lab.Failure;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two processes, of which one is killed. */
class IpcDeathTest extends TwoEnds {
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
    @CsvSource({
        "ring, 0",
        "ring, 1",
        "tcp, 0",
        "tcp, 1",
        "pipe, 1",
        "ring_futex, 0",
        "ring_futex, 1",
        "tcp_spin, 1",
        "pipe_spin, 0"
    })
    void anEndThatDiesEndsTheOther(String variant, int killed) throws Exception {
        List<Process> both = new ArrayList<>();
        for (int part = 0; part < 2; part++) {
            both.add(start(part, "--variant " + variant));
        }
        // In the fourth iteration messages are measured; both ends arrive twice before each.
        while (ByteBuffer.wrap(Files.readAllBytes(page))
                        .order(ByteOrder.nativeOrder())
                        .getLong(128)
                < 4 * 4) {
            assertTrue(both.get(0).isAlive() && both.get(1).isAlive(), Files.readString(folder.resolve("0.err")));
            Thread.sleep(5);
        }
        both.get(killed).destroyForcibly().waitFor();
        assertEquals(Failure.CHECK_FAILED, both.get(1 - killed).waitFor());
        assertEquals("lab: another part failed\n", Files.readString(folder.resolve((1 - killed) + ".err")));
        assertFalse(Files.exists(folder.resolve((1 - killed) + ".hlog")));
    }
}
