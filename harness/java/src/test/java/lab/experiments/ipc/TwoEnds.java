package lab.experiments.ipc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import lab.Harness;
import lab.Native;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Trials of two ends on a fresh page. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
abstract class TwoEnds {
    @TempDir
    Path folder;

    @TempDir
    Path files;

    Path page;

    @BeforeEach
    void makePage() throws IOException {
        Assumptions.assumeTrue(Native.available());
        page = folder.resolve("page");
        Files.write(page, new byte[4096]);
    }

    final List<String> args(int part, String line) {
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

    final Harness.Result run(int part, String line) {
        return Harness.run(args(part, line).toArray(new String[0]));
    }

    /** Both ends, which here are two threads of one process. */
    final List<Harness.Result> both(String ping, String pong) {
        CompletableFuture<Harness.Result> other = CompletableFuture.supplyAsync(() -> run(1, pong));
        Harness.Result main = run(0, ping);
        return List.of(main, other.join());
    }

    final List<Harness.Result> both(String line) {
        List<Harness.Result> both = both(line, line);
        for (Harness.Result each : both) {
            assertEquals(0, each.status(), each.err());
        }
        return both;
    }

    final List<String> solo(String more) {
        String line = "ipc --variant ring_solo --pattern stream --warmup 1 --iterations 2 --iteration-ms 1" + more;
        return Harness.words(line, folder.resolve("s.hlog"), "--dir", files.toString());
    }
}
