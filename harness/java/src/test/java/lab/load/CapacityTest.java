package lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.function.DoublePredicate;
import org.junit.jupiter.api.Test;

/** A search on the other sides that it was made for. */
class CapacityTest {
    private static Map<String, Double> found(double atOnce, DoublePredicate bears) {
        Capacity capacity = new Capacity();
        for (int i = 0; i < Capacity.ITERATIONS + Capacity.AFTER; i++) {
            double rate = capacity.rate();
            capacity.ended(rate == 0 ? atOnce : rate, rate > 0 && bears.test(rate));
        }
        Map<String, Double> told = new HashMap<>();
        capacity.leave("c", told::put);
        return told;
    }

    /** All due at once a ring took 16 M/s that bears 130; another took 200 M/s that bears 39. */
    @Test
    void itIsTheHighestRateThatIsBorneWhateverWasTakenAtOnce() {
        for (double atOnce : new double[] {16e6, 39e6, 200e6}) {
            for (double limit : new double[] {39e6, 130e6}) {
                Map<String, Double> told = found(atOnce, rate -> rate <= limit);
                String what = told.toString();
                assertTrue(told.get("c") <= limit && told.get("c") > 0.8 * limit, what);
                assertTrue(told.get("c_after") <= limit && told.get("c_after") > 0.7 * limit, what);
                assertEquals(atOnce, told.get("c_at_once"));
                assertEquals(0, told.get("c_failed"));
            }
        }
    }

    @Test
    void aStopOfTheHostFailsARateOnce() {
        int[] tries = new int[1];
        Map<String, Double> told = found(20e6, rate -> rate <= 39e6 && ++tries[0] % 4 != 0);
        assertTrue(told.get("c") > 0.6 * 39e6, told.toString());
    }

    @Test
    void aCapacityThatIsTwoFailsItsChecks() {
        int[] tries = new int[1];
        // Borne while it is looked for, and later half of it.
        Map<String, Double> told = found(20e6, rate -> rate <= (tries[0]++ < Capacity.ITERATIONS - 6 ? 40e6 : 10e6));
        assertEquals(1, told.get("c_failed"));
        assertTrue(told.get("c") > 2 * 10e6);
    }
}
