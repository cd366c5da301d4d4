package lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The patience of the thread that waits for the workers. */
class WorkersTest {
    @TempDir
    Path folder;

    private Harness.Result run(Consumer<Trial> script) {
        List<String> args =
                Harness.words("scripted --variant v --threads 2 --warmup 0 --iterations 3", folder.resolve("o.hlog"));
        return assertTimeoutPreemptively(
                Duration.ofSeconds(30), () -> Harness.run(List.of(new Scripted(script)), args.toArray(new String[0])));
    }

    @Test
    void aWorkerThatNeverReturnsEndsTheTrial() throws IOException {
        CountDownLatch afterTheTest = new CountDownLatch(1);
        Harness.Result result =
                run(trial -> Workers.platform(trial).patience(200_000_000).run((worker, from, to) -> {
                    worker.begin(from);
                    if (from == 1 && worker.index() == 1) {
                        awaitWhateverHappens(afterTheTest);
                    }
                    worker.end(System.nanoTime(), 1);
                }));
        afterTheTest.countDown();
        assertEquals(Failure.CHECK_FAILED, result.status());
        assertEquals(
                "lab: no iteration ended in 0.200 s: a worker waits for what does not come, as after a lost "
                        + "signal\n",
                result.err());
        assertEquals("", result.out());
        assertEquals(0, Files.list(folder).count());
    }

    private static void awaitWhateverHappens(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                continue;
            }
        }
    }

    /** The trial outlasts the patience, and no iteration does. */
    @Test
    void iterationsThatEndKeepATrialGoing() {
        Harness.Result result =
                run(trial -> Workers.platform(trial).patience(2_000_000_000L).run((worker, from, to) -> {
                    worker.begin(from);
                    try {
                        Thread.sleep(800);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    worker.end(System.nanoTime(), 1);
                }));
        assertEquals(Failure.MEASURED, result.status(), result.err());
        assertEquals(6, result.json().get("iterations").get("iteration").size());
    }
}
