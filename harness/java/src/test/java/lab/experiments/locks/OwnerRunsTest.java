package lab.experiments.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnerRunsTest {
    private static final int CAPACITY = 16;

    /** Logs of two threads that own so many operations in turn, thread 0 first; by the real log and clock. */
    static OwnerLog[] logs(int capacity, int... lengths) {
        OwnerLog[] logs = {new OwnerLog(capacity, 1), new OwnerLog(capacity, 1)};
        long begun = System.nanoTime();
        for (OwnerLog log : logs) {
            log.prepare(100, true);
            log.opens(begun);
        }
        long count = 100;
        long[] next = {-1, -1};
        for (int run = 0; run < lengths.length; run++) {
            for (int i = 0; i < lengths[run]; i++) {
                next[run % 2] = logs[run % 2].entered(count++, next[run % 2]);
            }
        }
        for (int i = 0; i < logs.length; i++) {
            logs[i].ended(System.nanoTime(), next[i]);
        }
        return logs;
    }

    static OwnerRuns runs(OwnerLog... logs) {
        return new OwnerRuns(Arrays.stream(logs).map(OwnerLog::keep).toArray(OwnerLog.Stretch[]::new));
    }

    @Test
    void runsAreThoseOfTheCounts() {
        OwnerRuns runs = runs(logs(CAPACITY, 2, 3, 1, 4, 5));
        assertEquals(3, runs.runs, "the last is open, and before the second thread 1 was not in yet");
        assertEquals(8, runs.operations());
        assertEquals(List.of(3L, 1L, 4L), List.of(runs.length(0), runs.length(1), runs.length(2)));
        assertEquals(List.of(false, false, true), List.of(runs.returned(0), runs.returned(1), runs.returned(2)));
        assertEquals(0, runs.before(2));
        assertEquals(1, runs.between(2));
        assertEquals(runs.nanos(), runs.turn(0) + runs.turn(1) + runs.turn(2));
        assertEquals(List.of(2L, 0L, 3L), List.of(runs.tailLength(0), runs.tailLength(1), runs.tailLength(2)));
    }

    @Test
    void oneOwnerHasNoRunThatEnds() {
        OwnerRuns runs = runs(logs(CAPACITY, 5));
        assertEquals(0, runs.runs);
        assertEquals(0, runs.operations());
        assertEquals(0, runs.nanos());
        assertEquals(0, runs(logs(CAPACITY)).runs);
    }

    @Test
    void aLogThatIsFullEndsTheStretch() {
        // Each log holds two entries: the runs of thread 0 begin at 0 and 2, those of thread 1 at 1 and 3.
        OwnerLog[] logs = logs(2, 1, 1, 1, 1, 1, 1);
        OwnerRuns runs = runs(logs);
        assertEquals(1, runs.runs);
        assertEquals(1, runs.operations());
    }

    @Test
    void whatComesAfterTheFirstThreadHasEndedDoesNotCount() {
        OwnerLog[] logs = logs(CAPACITY, 1, 1, 1, 1, 1);
        assertEquals(3, runs(logs).runs);
        logs = logs(CAPACITY, 1, 1, 1, 1, 1);
        logs[1].last = 0;
        assertEquals(0, runs(logs).runs);
    }

    @Test
    void aLogOfAnIterationThatIsNotLoggedHoldsNothing() {
        OwnerLog log = new OwnerLog(CAPACITY, 1);
        log.prepare(0, false);
        log.opens(System.nanoTime());
        log.entered(0, -1);
        log.entered(7, -1);
        assertEquals(0, log.keep().entries());
        assertEquals(0, runs(log, log).runs);
    }

    @Test
    void aReadingIsAMarkOfTheRunThatItLiesIn() {
        OwnerLog log = new OwnerLog(CAPACITY, 1);
        log.prepare(0, true);
        long begun = System.nanoTime();
        log.opens(begun);
        long next = log.entered(1, log.entered(0, -1));
        log.ended(begun + 1_000_000_000, next);
        next = log.entered(5, log.entered(2, next));
        log.entered(9, next);
        OwnerLog.Stretch stretch = log.keep();
        assertEquals(3, stretch.entries());
        assertEquals(1_000_000_000, stretch.markNanos(0));
        assertEquals(2, stretch.markCount(0));
        assertEquals(0, stretch.markNanos(1));
        assertEquals(0, stretch.markNanos(2));
        // By then the next run had begun: the reading was taken when this one was over.
        OwnerRuns runs = new OwnerRuns(new OwnerLog.Stretch[] {stretch});
        assertFalse(runs.marked(0));
        assertEquals(4, runs.tailLength(0));
    }

    @Test
    void anIterationOfMoreThanFourSecondsIsLoggedAsFarAsNumbersGo() {
        OwnerLog log = new OwnerLog(CAPACITY, 1);
        log.prepare(0, true);
        log.opens(System.nanoTime() - (1L << 32));
        log.entered(0, -1);
        log.ended(System.nanoTime(), 1);
        log.opens(System.nanoTime());
        log.entered(5, -1);
        OwnerLog.Stretch stretch = log.keep();
        assertEquals(0, stretch.entries());
        assertTrue(stretch.full());
    }

    @Test
    void whatIsKeptStaysWhileTheLogGoesOn() {
        OwnerLog log = new OwnerLog(2, 2);
        OwnerLog.Stretch[] kept = new OwnerLog.Stretch[3];
        for (int iteration = 0; iteration < 3; iteration++) {
            log.prepare(0, true);
            log.opens(System.nanoTime());
            log.entered(10 * iteration, -1);
            log.entered(10 * iteration + 5, -1);
            kept[iteration] = log.keep();
        }
        assertEquals(List.of(0L, 5L), List.of(kept[0].count(0), kept[0].count(1)));
        assertEquals(List.of(10L, 15L), List.of(kept[1].count(0), kept[1].count(1)));
        assertEquals(0, kept[2].entries(), "there is room for two iterations");
    }

    @Test
    void giniByHand() {
        assertEquals(0, OwnerRuns.gini(new long[] {5}));
        assertEquals(0, OwnerRuns.gini(new long[] {7, 7, 7}));
        assertEquals(0, OwnerRuns.gini(new long[] {0, 0}));
        assertEquals(0.75, OwnerRuns.gini(new long[] {0, 9, 0, 0}), 1e-12);
        // |1-3| twice, over 2 n^2 mean = 2 * 4 * 2.
        assertEquals(0.25, OwnerRuns.gini(new long[] {3, 1}), 1e-12);
    }
}
