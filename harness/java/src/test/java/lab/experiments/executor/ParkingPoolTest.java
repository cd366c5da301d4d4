package lab.experiments.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import lab.Harness;
import lab.load.Unused;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sleeping and waking: every task is one that somebody may have to be woken for. */
class ParkingPoolTest {
    private static final int SLOTS = 1024;
    private static final int ROUNDS = 20_000;
    /** After that a task is taken to be lost where one must be; where none may be, after {@link Harness#PATIENCE}. */
    private static final Duration SOON = Duration.ofSeconds(2);

    /** Needs no load. */
    private static final class Counted extends Task {
        volatile int runs;

        Counted() {
            super(null);
        }

        @Override
        public void run() {
            runs++;
        }
    }

    /** Rounds until a task was left lying while nobody came for it; all rounds if none was. */
    private static int stress(int producers, int workers, int spin, Duration lost, Function<Crew, ParkingPool> kind) {
        Crew crew = new Crew(Unused.receipts(workers), new int[0]);
        ParkingPool pool = kind.apply(crew);
        pool.start();
        int[] rounds = new int[producers];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < producers; i++) {
            int producer = i;
            threads.add(new Thread(() -> rounds[producer] = rounds(pool, spin, lost)));
        }
        threads.forEach(Thread::start);
        int least = Integer.MAX_VALUE;
        try {
            for (int i = 0; i < producers; i++) {
                threads.get(i).join();
                least = Math.min(least, rounds[i]);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        pool.abandon();
        assertEquals(0, crew.awaitEnd(Harness.PATIENCE.toNanos()), "workers that do not end");
        crew.rethrow();
        return least;
    }

    /** One task after the other, each after a time that hits now this, now that moment of a worker's going to sleep. */
    private static int rounds(ParkingPool pool, int spin, Duration lost) {
        Counted task = new Counted();
        for (int round = 0; round < ROUNDS; round++) {
            pool.execute(task);
            long end = System.nanoTime() + lost.toNanos();
            while (task.runs <= round) {
                if (System.nanoTime() - end > 0) {
                    return round;
                }
                Thread.yield();
            }
            for (int i = round % (spin + 64); i > 0; i--) {
                Thread.onSpinWait();
            }
        }
        return ROUNDS;
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 0", "1, 1, 20", "2, 1, 0", "1, 3, 0", "3, 3, 20"})
    void noWakeUpIsLost(int producers, int workers, int spin) {
        assertEquals(
                ROUNDS, stress(producers, workers, spin, Harness.PATIENCE, crew -> new ParkingPool(crew, SLOTS, spin)));
    }

    /** So that the test above can fail: whoever looks for sleepers before the task lies in the queue. */
    @Test
    void theStressFindsALookThatComesTooEarly() {
        int rounds = stress(1, 1, 0, SOON, crew -> new ParkingPool(crew, SLOTS, 0) {
            @Override
            public void execute(Task task) {
                wake();
                // The worst moment for it, which chance would find too.
                awaitSleep(this, 0);
                enqueue(task);
            }
        });
        assertTrue(rounds < ROUNDS, "nothing lost in " + rounds + " rounds");
    }

    /** So that the test above can fail: a worker that does not look again. */
    @Test
    void theStressFindsAWorkerThatDoesNotLookAgain() {
        int rounds = stress(1, 1, 0, SOON, crew -> new TaskBeforeTheBit(crew) {
            @Override
            Runnable lastLook() {
                return null;
            }
        });
        assertTrue(rounds < ROUNDS, "nothing lost in " + rounds + " rounds");
    }

    /** The same moment, and a worker that does. */
    @Test
    void theLastLookFindsATaskThatCameBeforeTheBit() {
        assertEquals(ROUNDS, stress(1, 1, 0, Harness.PATIENCE, TaskBeforeTheBit::new));
    }

    /**
     * The worst moment for every task, which chance would find too, but on busy CPUs not in ten minutes: the worker has
     * looked and found nothing, and announces its sleep when the next task's submitter has looked for sleepers.
     */
    private static class TaskBeforeTheBit extends ParkingPool {
        private volatile Counted task;
        /** Tasks handed over, their submitter's look included. */
        private volatile int submitted;

        TaskBeforeTheBit(Crew crew) {
            super(crew, SLOTS, 0);
        }

        @Override
        public void execute(Task task) {
            this.task = (Counted) task;
            super.execute(task);
            submitted++;
        }

        @Override
        Runnable idle(int number, int empty) {
            while ((task == null || submitted <= task.runs) && !abandoned) {
                Thread.yield();
            }
            return super.idle(number, empty);
        }
    }

    /** Nobody is awake for a task, and one is woken for it: the others sleep on. */
    @Test
    void oneTaskWakesOneWorker() {
        Crew crew = new Crew(Unused.receipts(3), new int[0]);
        ParkingPool pool = new ParkingPool(crew, SLOTS, 0);
        pool.start();
        awaitSleep(pool, 0, 1, 2);
        Counted task = new Counted();
        pool.execute(task);
        while (task.runs == 0) {
            assertTrue(pool.asleep(1));
            assertTrue(pool.asleep(2));
        }
        awaitSleep(pool, 0, 1, 2);
        pool.shutdown();
        assertEquals(0, crew.awaitEnd(Harness.PATIENCE.toNanos()));
        assertFalse(pool.asleep(0) || pool.asleep(1) || pool.asleep(2));
    }

    private static void awaitSleep(ParkingPool pool, int... workers) {
        for (int worker : workers) {
            while (!pool.asleep(worker)) {
                Thread.yield();
            }
        }
    }
}
