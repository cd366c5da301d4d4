package lab.experiments.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import lab.Experiment;
import lab.Failure;
import lab.Harness;
import lab.Scripted;
import lab.Workers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Pools that lose a task, run one twice, leave one or do not end, and threads that die. */
class WrongPoolsTest {
    /** Where a trial waits for what never comes. */
    private static final long SHORT_GRACE_NANOS = 300_000_000;
    /** Their tasks run on threads that are not the pool's own to lose. */
    private static final List<String> NOT_OURS = List.of("caller", "virtual");

    @TempDir
    Path folder;

    private Path out() {
        return folder.resolve("o.hlog");
    }

    /** A trial of the parking pool with something wrong around it. */
    private Harness.Result wrong(String more, long graceNanos, UnaryOperator<Pool> fault) {
        return wrong(
                more,
                graceNanos,
                (variant, crew, slots, yields, spin) ->
                        fault.apply(Pools.of("lockfree_park", crew, slots, yields, spin)));
    }

    private Harness.Result wrong(String more, long graceNanos, Executor.Kind kind) {
        Scripted experiment = Scripted.inPlaceOf(new Executor(), trial -> Executor.measure(trial, kind, graceNanos));
        String line = "scripted --variant v --warmup 4 --iterations 3 --iteration-ms 5 " + more;
        String[] args = Harness.words(line.trim(), out()).toArray(new String[0]);
        Harness.Result result =
                assertTimeoutPreemptively(Harness.PATIENCE, () -> Harness.run(List.of(experiment), args));
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
        Harness.Result result = wrong(
                more, SHORT_GRACE_NANOS, (variant, crew, slots, yields, spin) -> new ParkingPool(crew, slots, spin) {
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
        assertError("no iteration ended in", wrong("", SHORT_GRACE_NANOS, pool -> new WrongPool(pool) {
            @Override
            void wrong(Task task) {
                // Lost.
            }
        }));
    }

    @Test
    void aTaskThatRunsTwiceFailsTheCheck() {
        Harness.Result result = wrong("", Workers.GRACE_NANOS, pool -> new WrongPool(pool) {
            @Override
            void wrong(Task task) {
                pool.execute(task);
                pool.execute(task);
            }
        });
        assertError("events handled equal events sent", result);
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
        Harness.Result result = wrong("", 10 * SHORT_GRACE_NANOS, pool -> new WrongPool(pool) {
            @Override
            public void shutdown() {
                // Forgotten.
            }
        });
        assertEquals(List.of("worker threads alive after the shutdown"), failed(result));
    }

    @Test
    void aPoolThatLeavesATaskFailsTheCheck() {
        Harness.Result result = wrong("", Workers.GRACE_NANOS, pool -> new WrongPool(pool) {
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
        return new Executor()
                .variants().stream().map(Experiment.Variant::name).filter(each -> !NOT_OURS.contains(each));
    }

    @ParameterizedTest
    @MethodSource("pooled")
    void aWorkerThatDiesIsNamed(String variant) {
        Harness.Result result = wrong(
                "",
                Workers.GRACE_NANOS,
                (v, crew, slots, yields, spin) -> new WrongPool(Pools.of(variant, crew, slots, yields, spin)) {
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
        assertError("a worker of the pool died: java.lang.IllegalStateException: killed by a test", result);
    }

    @Test
    void aProducerThatDiesIsNamed() {
        Harness.Result result = wrong("--producers 2", Workers.GRACE_NANOS, pool -> new WrongPool(pool) {
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
