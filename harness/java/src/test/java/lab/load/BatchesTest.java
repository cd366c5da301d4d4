package lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BatchesTest {
    private final Batches batches = new Batches();

    private void batch(long events, boolean none) {
        batches.begins();
        batches.ends(events, none);
    }

    private Map<String, Double> measures() {
        Map<String, Double> measures = new LinkedHashMap<>();
        batches.measures(measures::put);
        return measures;
    }

    @Test
    void allAreCountedByThePowerOfTwoThatTheyReach() {
        for (int events : new int[] {1, 2, 3, 4, 7, 8}) {
            batch(events, events % 2 == 0);
            batch(0, true);
        }
        Map<String, Double> measures = measures();
        assertEquals(1, measures.get("batch_size_1"));
        assertEquals(2, measures.get("batch_size_2"));
        assertEquals(2, measures.get("batch_size_4"));
        assertEquals(1, measures.get("batch_size_8"));
        assertEquals(3, measures.get("idle_looks"));
        assertEquals(1, measures.get("batches"));
        assertEquals(1, measures.get("batch_events"));
        assertEquals(10, measures.size());
    }

    @Test
    void theLargestSizeHasItsPlace() {
        long most = 1L << 31;
        batch(most, false);
        assertEquals(1, measures().get("batch_size_2147483648"));
        assertEquals((double) most * most, measures().get("batch_n2"));
    }

    @Test
    void oneOfSixteenIsTimed() {
        long before = System.nanoTime();
        for (int i = 0; i < 17; i++) {
            batch(3, false);
        }
        long most = System.nanoTime() - before;
        Map<String, Double> measures = measures();
        assertEquals(2, measures.get("batches"));
        assertEquals(6, measures.get("batch_events"));
        assertEquals(18, measures.get("batch_n2"));
        assertTrue(measures.get("batch_ns") > 0 && measures.get("batch_ns") <= most);
        assertEquals(3 * measures.get("batch_ns"), measures.get("batch_n_ns"));
        assertEquals(0, measures.get("idle_looks"));
    }

    @Test
    void nothingIsLeftOfTheIterationBefore() {
        batch(5, true);
        batches.clear();
        assertEquals(Map.of(), measures());
        batch(3, false);
        Map<String, Double> measures = measures();
        assertEquals(1, measures.get("batches"));
        assertEquals(3, measures.get("batch_events"));
        assertEquals(9, measures.get("batch_n2"));
        assertEquals(3 * measures.get("batch_ns"), measures.get("batch_n_ns"));
        assertEquals(0, measures.get("idle_looks"));
        assertEquals(7, measures.size());
    }
}
