package lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The window that workers have in common, and the patience of the thread that waits for them. */
class WorkersTest {
    private static final int ITERATIONS = 3;

    @TempDir
    Path folder;

    private Harness.Result run(Consumer<Trial> script) {
        return run(2, 5, script);
    }

    private Harness.Result run(int threads, int millis, Consumer<Trial> script) {
        String line = "scripted --variant v --threads " + threads + " --warmup 0 --iterations " + ITERATIONS
                + " --iteration-ms " + millis;
        List<String> args = Harness.words(line, folder.resolve("o.hlog"));
        return assertTimeoutPreemptively(
                Harness.PATIENCE, () -> Harness.run(List.of(new Scripted(script)), args.toArray(new String[0])));
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

    /** With a CPU each, no iteration opens before all have come back from a wait in which they may have yielded. */
    @Test
    void workersWithACpuEachMeetTwiceBeforeAnIteration() {
        int cpus = Runtime.getRuntime().availableProcessors();
        Assumptions.assumeTrue(cpus >= 2);
        AtomicLong meetings = new AtomicLong();
        for (int threads : new int[] {2, cpus + 1}) {
            Harness.Result result = run(threads, 1, trial -> {
                Workers workers = Workers.platform(trial);
                workers.run((worker, from, to) -> {
                    worker.begin(from);
                    meetings.set(workers.barrier.arrivals());
                    worker.end(System.nanoTime(), 1);
                });
            });
            assertEquals(Failure.MEASURED, result.status(), result.err());
            int ofOneIteration = threads > cpus ? 2 : 3;
            // The last reading is of a worker between the beginning and the end of the last iteration.
            long whole = (meetings.get() + threads - 1) / threads;
            assertTrue(whole == ofOneIteration * ITERATIONS || whole == ofOneIteration * ITERATIONS - 1, meetings + "");
        }
    }

    /** More threads than CPUs, so that most of them begin long after the first: the deadline is one nevertheless. */
    @Test
    void allWorkersOfAnIterationHaveOneDeadline() {
        int threads = 8;
        long[][] deadlines = new long[ITERATIONS][threads];
        Harness.Result result =
                run(threads, 20, trial -> Workers.platform(trial).run((worker, from, to) -> {
                    long deadline = worker.begin(from);
                    deadlines[from][worker.index()] = deadline;
                    long now;
                    do {
                        now = System.nanoTime();
                    } while (now - deadline < 0);
                    worker.end(now, 1);
                }));
        assertEquals(Failure.MEASURED, result.status(), result.err());
        JsonNode rows = result.json().get("iterations");
        for (int row = 0; row < rows.get("iteration").size(); row++) {
            int iteration = rows.get("iteration").get(row).asInt();
            long opening = deadlines[iteration][0] - 20_000_000;
            for (long deadline : deadlines[iteration]) {
                assertEquals(deadlines[iteration][0], deadline);
            }
            long start = rows.get("start_ns").get(row).asLong();
            assertTrue(start >= opening, "begun before the last had arrived");
            assertTrue(start + rows.get("elapsed_ns").get(row).asLong() >= deadlines[iteration][0], "ended early");
        }
    }

    /** A worker that is done waits for the others before anything is folded: a slow one is not disturbed. */
    @Test
    void nothingIsFoldedBeforeAllHaveEnded() {
        AtomicInteger ended = new AtomicInteger();
        List<Integer> seen = new ArrayList<>();
        Harness.Result result = run(2, 1, trial -> Workers.platform(trial).run((worker, from, to) -> {
            worker.begin(from);
            ended.incrementAndGet();
            worker.end(1, () -> seen.add(ended.get() - 2 * from));
        }));
        assertEquals(Failure.MEASURED, result.status(), result.err());
        assertEquals(List.of(2, 2, 2, 2, 2, 2), seen);
    }

    private static void spin(Worker worker, int from, int to) {
        long deadline = worker.begin(from);
        long now;
        do {
            now = System.nanoTime();
        } while (now - deadline < 0);
        worker.end(now, 1);
    }

    /** Two that spin on one CPU wait for each other, which the kernel counts or does not. */
    @Test
    void workersTellHowLongTheyWaitedForACpu() throws IOException {
        Assumptions.assumeTrue(Native.available());
        String cpu = Integer.toString(Native.affinity()[0]);
        List<String> args = Harness.words(
                "scripted --variant v --threads 2 --warmup 1 --iterations 5 --iteration-ms 20 --cpus " + cpu,
                folder.resolve("o.hlog"));
        Harness.Result result = Harness.run(
                List.of(new Scripted(trial -> Workers.platform(trial).run(WorkersTest::spin))),
                args.toArray(new String[0]));
        assertEquals(Failure.MEASURED, result.status(), result.err());
        JsonNode told = result.json().get("run_delay");
        assertEquals(Native.runDelay() == null, told.isNull());
        Assumptions.assumeFalse(told.isNull());
        assertEquals(2, told.get("ran_ns").size());
        assertEquals(2, told.get("run_delay_ns").size());
        for (int i = 0; i < 2; i++) {
            long wall = told.get("wall_ns").get(i).asLong();
            long ran = told.get("ran_ns").get(i).asLong();
            long waited = told.get("run_delay_ns").get(i).asLong();
            assertTrue(wall >= 5 * 20_000_000L && ran > 0 && waited > 0, told.toString());
            // The clocks of a worker are read one after the other.
            assertTrue(ran + waited <= wall + wall / 10, told.toString());
            assertTrue(i > 0 || ran <= told.get("process_ns").asLong() + wall / 10, told.toString());
        }
    }

    /** Around every iteration that counts, where each worker has a CPU; to the next worker's there is a word. */
    @Test
    void workersWithCpusOfTheirOwnReadTheirState() throws IOException {
        Assumptions.assumeTrue(Native.available());
        int[] cpus = Native.affinity();
        for (int threads = 1; threads <= Math.min(cpus.length, 3) + 1; threads++) {
            StringBuilder given = new StringBuilder();
            for (int i = 0; i < Math.min(threads, cpus.length); i++) {
                given.append(i == 0 ? "" : ",").append(cpus[i]);
            }
            List<String> args = Harness.words(
                    "scripted --variant v --threads " + threads + " --warmup 2 --iterations 3 --iteration-ms 2 --cpus "
                            + given,
                    folder.resolve("o.hlog"));
            Harness.Result result = Harness.run(
                    List.of(new Scripted(
                            trial -> Workers.platform(trial).fixed().run(WorkersTest::spin))),
                    args.toArray(new String[0]));
            assertEquals(Failure.MEASURED, result.status(), result.err());
            JsonNode read = result.json().get("readings");
            assertEquals(threads > cpus.length, read.isNull());
            assertEquals(read.isNull() ? 0 : 4 * threads, read.path("thread").size());
            for (int i = 0; i < read.path("thread").size(); i++) {
                assertEquals(2 + i / threads, read.get("iteration").get(i).asInt());
                assertEquals(i % threads, read.get("thread").get(i).asInt());
                assertTrue(read.get("chain_ns").get(i).asDouble() > 0, read.toString());
                assertTrue(read.get("wide_ns").get(i).asDouble() > 0, read.toString());
                boolean last = i % threads == threads - 1;
                assertEquals(last, read.get("word_ns").get(i).isNull(), read.toString());
                assertTrue(last || read.get("word_ns").get(i).asDouble() > 0, read.toString());
            }
        }
    }

    /** Those of the warm-up and after the measured ones are left out. */
    @Test
    void onlyTheMeasuredPhaseCounts() {
        Assumptions.assumeTrue(Native.available() && Native.runDelay() != null);
        for (String measured : new String[] {Phases.MEASURED, "capacity"}) {
            long[] before = new long[4];
            long[] begun = new long[4];
            Phases phases = new Phases(
                    new Phases.Phase(Phases.WARMUP, 1, 30_000_000),
                    new Phases.Phase(measured, 2, 5_000_000),
                    new Phases.Phase("after", 1, 30_000_000));
            Harness.Result result =
                    run(1, 5, trial -> Workers.platform(trial).phases(phases).run((worker, from, to) -> {
                        before[from] = System.nanoTime();
                        long deadline = worker.begin(from);
                        begun[from] = System.nanoTime();
                        while (System.nanoTime() - deadline < 0) {
                            Thread.onSpinWait();
                        }
                        worker.end(System.nanoTime(), 1);
                    }));
            assertEquals(Failure.MEASURED, result.status(), result.err());
            JsonNode told = result.json().get("run_delay");
            assertEquals(!measured.equals(Phases.MEASURED), told.isNull());
            if (!told.isNull()) {
                long wall = told.get("wall_ns").get(0).asLong();
                assertTrue(wall >= before[3] - begun[1] && wall <= begun[3] - before[1], told.toString());
            }
        }
    }
}
