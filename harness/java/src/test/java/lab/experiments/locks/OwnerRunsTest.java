package lab.experiments.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

class OwnerRunsTest {
    private static OwnerRuns runs(int... owners) {
        short[] window = new short[owners.length];
        for (int i = 0; i < owners.length; i++) {
            window[i] = (short) owners[i];
        }
        return new OwnerRuns(window);
    }

    @Test
    void countsMaximalRuns() {
        OwnerRuns runs = runs(0, 0, 1, 1, 1, 0, 2);
        assertEquals(7, runs.operations());
        assertEquals(4, runs.runs());
    }

    @Test
    void reacquireIsTheMedianOfOthersOperationsBetweenRunsOfOneThread() {
        assertEquals(3, runs(0, 0, 1, 1, 1, 0, 2).medianReacquire());
        // Thread 0 returns after 1 and after 3 operations, thread 1 after 2: the median of 1, 2, 3.
        assertEquals(2, runs(0, 1, 0, 0, 1, 1, 1, 0).medianReacquire());
        // Thread 0 after 1, thread 1 after 2: an even number of returns.
        assertEquals(1.5, runs(0, 1, 0, 0, 1).medianReacquire());
        assertEquals(2, runs(0, 1, 2, 0, 1, 2).medianReacquire());
    }

    @Test
    void noReturnWithOneOwnerOrOneRunEach() {
        assertFalse(runs(3, 3, 3).reacquired());
        assertFalse(runs(0, 1, 2).reacquired());
        assertEquals(1, runs(3, 3, 3).runs());
        assertEquals(0, runs().runs());
        assertFalse(runs().reacquired());
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

    @Test
    void windowRecordsExactlyItsIncrements() {
        SharedCounter counter = new SharedCounter(4);
        counter.openWindow(2);
        for (int owner = 0; owner < 10; owner++) {
            counter.increment((short) owner);
        }
        assertEquals(10, counter.value());
        assertArray(counter.takeWindow(), 2, 3, 4, 5);
        counter.incrementOpaque((short) 9);
        assertArray(counter.takeWindow());
        counter.openWindow(1);
        counter.incrementAtomic((short) 7);
        counter.incrementAtomic((short) 8);
        assertArray(counter.takeWindow(), 8);
        counter.openWindow(100);
        assertArray(counter.takeWindow());
    }

    private static void assertArray(short[] actual, int... expected) {
        assertEquals(expected.length, actual.length);
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], actual[i]);
        }
    }
}
