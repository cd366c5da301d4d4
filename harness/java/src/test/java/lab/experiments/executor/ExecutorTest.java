package lab.experiments.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import lab.Experiment;
import lab.Failure;
import lab.Harness;
import lab.Native;
import lab.Parameter;
import lab.Trial;
import lab.VirtualThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every pool under load, and pools that are wrong. */
class ExecutorTest {
    private static final long SHORT_GRACE_NANOS = 300_000_000;
    private static final List<String> ALONE = List.of("caller", "single", "virtual");

    @TempDir
    Path folder;

    private Path out() {
        return folder.resolve("o.hlog");
    }

    private String[] args(String experiment, String variant, String more) {
        String line = experiment + " --variant " + variant + " --warmup 4 --iterations 3 --iteration-ms 5 " + more;
        return Harness.words(line.trim(), out()).toArray(new String[0]);
    }

    private static List<String> variants() {
        List<String> names = new ArrayList<>();
        for (Experiment.Variant each : new Executor().variants()) {
            if (each.supported()) {
                names.add(each.name());
            }
        }
        return names;
    }

    static Stream<Arguments> cases() {
        List<Arguments> cases = new ArrayList<>();
        for (String variant : variants()) {
            cases.add(Arguments.of(variant, "--producers 1", 1, 1));
            cases.add(Arguments.of(variant, "--producers 2 --window 16 --tasks fresh", 2, 1));
            cases.add(Arguments.of(variant, "--producers 1 --rate 200000 --spin 10", 1, 1));
            if (!ALONE.contains(variant)) {
                cases.add(Arguments.of(variant, "--producers 2 --workers 3 --window 64", 2, 3));
                cases.add(Arguments.of(variant, "--producers 2 --workers 2 --load 50", 2, 2));
            }
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyTaskRunsOnce(String variant, String more, int producers, int workers) throws IOException {
        Harness.Result result =
                assertTimeoutPreemptively(Duration.ofSeconds(60), () -> Harness.run(args("executor", variant, more)));
        assertEquals(0, result.status(), result.err());
        assertEquals(producers, result.json().get("parameters").get("threads").asInt());
        JsonNode rows = result.json().get("iterations");
        Set<String> series = new HashSet<>();
        long operations = 0;
        for (int row = 0; row < rows.get("series").size(); row++) {
            String tag = rows.get("series").get(row).asText();
            series.add(tag);
            if (rows.get("phase").get(row).asText().equals("measured") && tag.matches("c\\d+")) {
                operations += rows.get("operations").get(row).asLong();
            }
        }
        int consumers = variant.equals("caller") ? producers : workers;
        for (int i = 0; i < consumers; i++) {
            assertTrue(series.contains("c" + i), series.toString());
        }
        boolean paced = more.contains("--rate") || more.contains("--load");
        assertEquals(paced, series.contains("intended"));
        assertEquals(!paced, series.contains("full"));
        assertEquals(paced && producers == 1 && !List.of("fjp", "virtual").contains(variant), series.contains("busy"));
        assertEquals(
                operations,
                result.measures("handled").stream().mapToDouble(each -> each).sum() - notMeasured(result),
                0);
        assertEquals(3, result.measures("allocated_bytes").size());
        assertEquals(
                "tasks that ran more than once",
                result.json()
                        .get("checks")
                        .findValuesAsText("name")
                        .get(result.json().get("checks").size() - 2));
        assertEquals(1, Files.list(folder).count());
    }

    /** Events handled in the iterations that measure the capacity. */
    private static double notMeasured(Harness.Result result) {
        JsonNode rows = result.json().get("iterations");
        double sum = 0;
        for (int row = 0; row < rows.get("series").size(); row++) {
            if (rows.get("phase").get(row).asText().startsWith("capacity")
                    && rows.get("series").get(row).asText().matches("c\\d+")) {
                sum += rows.get("operations").get(row).asLong();
            }
        }
        return sum;
    }

    @Test
    void reusedTasksAllocateNothingAndFreshOnesDo() {
        for (String tasks : List.of("reused", "fresh")) {
            Harness.Result result =
                    Harness.run(args("executor", "lockfree_spin", "--producers 3 --workers 2 --tasks " + tasks));
            List<Double> bytes = result.measures("allocated_bytes");
            List<Double> handled = result.measures("handled");
            for (int i = 0; i < bytes.size(); i++) {
                double each = bytes.get(i) / handled.get(i);
                assertEquals(tasks.equals("reused") ? 0 : 136, each, 5);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tpe_lbq | --producers 0 | --producers 0: must be from 1 to 64",
                "tpe_lbq | --producers 65 | --producers 65: must be from 1 to 64",
                "tpe_lbq | --workers 65 | --workers 65: must be from 1 to 64",
                "tpe_lbq | --window 100 | --window 100: must be a power of two",
                "tpe_lbq | --window 65536 --producers 17 | --window 65536: with --producers 17 more than 1048576",
                "tpe_lbq | --tasks old | --tasks old: must be one of reused, fresh",
                "tpe_lbq | --threads 2 | --threads 2: leave it out",
                "tpe_lbq | --load 121 | --load 121: must be from 0 to 120",
                "tpe_lbq | --load 10 --rate 10 | --rate 10: give it or --load 10, not both",
                "single | --workers 2 | --workers 2: single takes 1",
                "caller | --workers 2 | --workers 2: caller takes 1",
            })
    void badArgumentsAreNamed(String variant, String more, String error) throws IOException {
        Harness.Result result = Harness.run(args("executor", variant, more));
        assertEquals(Failure.BAD_ARGUMENT, result.status(), result.err());
        assertTrue(result.err().startsWith("lab: " + error), result.err());
        assertEquals(0, Files.list(folder).count());
    }

    @Test
    void workersArePinnedAfterTheProducersAndReadBack() {
        Harness.Result result = Harness.run(args("executor", "lockfree_park", "--producers 2 --workers 2 --cpus 0"));
        if (!Native.available()) {
            assertEquals(Failure.NO_RESOURCES, result.status());
            return;
        }
        assertEquals(Failure.MEASURED, result.status(), result.err());
        JsonNode pinning = result.json().get("pinning");
        assertEquals(4, pinning.size());
        for (int thread = 0; thread < pinning.size(); thread++) {
            assertEquals(
                    "{\"thread\":" + thread + ",\"requested\":0,\"observed\":[0]}",
                    pinning.get(thread).toString());
        }
        assertEquals(3, result.measures("worker_switches_voluntary").size());
    }

    @Test
    void virtualThreadsNeedALaterRuntime() {
        if (VirtualThreads.missing().isEmpty()) {
            return;
        }
        Harness.Result result = Harness.run(args("executor", "virtual", ""));
        assertEquals(Failure.UNSUPPORTED, result.status());
        assertTrue(result.err().contains("virtual threads need JDK 21 or later"), result.err());
    }

    /** A trial of the parking pool with something wrong around it. */
    private Harness.Result wrong(String more, UnaryOperator<Pool> fault) {
        return wrong(
                more,
                (variant, crew, slots, yields, spin) ->
                        fault.apply(Pools.of("lockfree_park", crew, slots, yields, spin)));
    }

    private Harness.Result wrong(String more, Executor.Kind kind) {
        Experiment experiment = new Experiment() {
            @Override
            public String name() {
                return "wrong";
            }

            @Override
            public List<Variant> variants() {
                return List.of(Variant.of("v"));
            }

            @Override
            public List<Parameter> parameters() {
                return new Executor().parameters();
            }

            @Override
            public void run(Trial trial) {
                Executor.measure(trial, kind, SHORT_GRACE_NANOS);
            }
        };
        Harness.Result result = assertTimeoutPreemptively(
                Duration.ofSeconds(30), () -> Harness.run(List.of(experiment), args("wrong", "v", more)));
        assertEquals(Failure.CHECK_FAILED, result.status(), result.err());
        assertEquals(1, result.err().split("\n").length, result.err());
        return result;
    }

    private static void assertError(String expected, Harness.Result result) {
        assertTrue(result.err().contains(expected), result.err());
    }

    /** Nobody wakes a worker that has gone to sleep. */
    @ParameterizedTest
    @CsvSource({"--spin 0", "--spin 0 --rate 10000", "--spin 0 --load 50"})
    void aLostWakeUpEndsTheTrial(String more) {
        Harness.Result result = wrong(more, (variant, crew, slots, yields, spin) -> new ParkingPool(crew, slots, spin) {
            @Override
            public void execute(Task task) {
                enqueue(task);
            }
        });
        assertError("no iteration ended in 0.305 s: a worker waits for what does not come", result);
        assertFalse(Files.exists(out()));
    }

    @Test
    void aLostTaskEndsTheTrial() {
        assertError("no iteration ended in", wrong("", pool -> new WrongPool(pool) {
            @Override
            void wrong(Task task) {
                // Lost.
            }
        }));
    }

    @Test
    void aTaskThatRunsTwiceFailsTheCheck() {
        Harness.Result result = wrong("", pool -> new WrongPool(pool) {
            @Override
            void wrong(Task task) {
                pool.execute(task);
                pool.execute(task);
            }
        });
        assertError("events handled equal events sent", result);
        assertFalse(result.json().findValuesAsText("passed").contains("ran more than once"));
        assertTrue(failed(result).contains("tasks that ran more than once"), result.out());
    }

    private static List<String> failed(Harness.Result result) {
        List<String> failed = new ArrayList<>();
        for (JsonNode each : result.json().get("checks")) {
            if (!each.get("passed").asBoolean()) {
                failed.add(each.get("name").asText());
            }
        }
        return failed;
    }

    @Test
    void aPoolThatDoesNotEndFailsTheCheck() {
        Harness.Result result = wrong("", pool -> new WrongPool(pool) {
            @Override
            public void shutdown() {
                // Forgotten.
            }
        });
        assertEquals(List.of("worker threads alive after the shutdown"), failed(result));
    }

    @Test
    void aPoolThatLeavesATaskFailsTheCheck() {
        Harness.Result result = wrong("", pool -> new WrongPool(pool) {
            @Override
            public void shutdown() {
                pool.shutdown();
                while (((LockFreePool) pool).crew.awaitEnd(1) > 0) {
                    Thread.onSpinWait();
                }
                ((LockFreePool) pool).queue.offer(new Task(null));
            }
        });
        assertEquals(List.of("tasks left in the pool"), failed(result));
    }

    static Stream<String> pooled() {
        return variants().stream().filter(each -> !List.of("caller", "virtual").contains(each));
    }

    @ParameterizedTest
    @MethodSource("pooled")
    void aWorkerThatDiesIsNamed(String variant) {
        Harness.Result result = wrong(
                "", (v, crew, slots, yields, spin) -> new WrongPool(Pools.of(variant, crew, slots, yields, spin)) {
                    @Override
                    void wrong(Task task) {
                        pool.execute(new Task(null) {
                            @Override
                            public void run() {
                                throw new IllegalStateException("killed by a test");
                            }
                        });
                    }
                });
        assertError("a worker of the pool died: java.lang.", result);
        assertError("killed by a test", result);
    }

    @Test
    void aProducerThatDiesIsNamed() {
        Harness.Result result = wrong("--producers 2", pool -> new WrongPool(pool) {
            @Override
            void wrong(Task task) {
                throw new IllegalStateException("killed by a test");
            }
        });
        assertError("died: java.lang.IllegalStateException: killed by a test", result);
        assertError("lab: producer ", result);
    }

    /** Does one task wrong, the others right. */
    private static class WrongPool implements Pool {
        private static final int THIRD = 3;

        final Pool pool;
        private int seen;

        WrongPool(Pool pool) {
            this.pool = pool;
        }

        void wrong(Task task) {
            pool.execute(task);
        }

        @Override
        public void start() {
            pool.start();
        }

        @Override
        public void execute(Task task) {
            if (++seen == THIRD) {
                wrong(task);
            } else {
                pool.execute(task);
            }
        }

        @Override
        public void shutdown() {
            pool.shutdown();
        }

        @Override
        public int left() {
            return pool.left();
        }

        @Override
        public void abandon() {
            pool.abandon();
        }
    }
}
