package lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PhasesTest {
    private final Phases phases = new Phases(
            new Phases.Phase("warmup", 2, 5), new Phases.Phase("none", 0, 1), new Phases.Phase("measured", 3, 20));

    @Test
    void iterationsBelongToThePhasesInOrder() {
        assertEquals(5, phases.iterations());
        assertEquals("warmup", phases.of(1).name());
        assertEquals("measured", phases.of(2).name());
        assertEquals(20, phases.of(4).nanos());
        assertEquals(2, phases.first("measured"));
        assertFalse(phases.measured(1));
        assertTrue(phases.measured(2));
    }

    @Test
    void anExperimentMayGoBeyondTheLastWithIterationsOfItsOwn() {
        assertEquals("measured", phases.of(5).name());
        assertTrue(phases.measured(500));
    }

    @Test
    void aPhaseThatIsLengthenedMovesThoseBehindIt() {
        assertTrue(phases.warmup(1));
        assertTrue(phases.last(1));
        phases.lengthen(1);
        assertEquals(6, phases.iterations());
        assertEquals(3, phases.warmups());
        assertFalse(phases.last(1));
        assertEquals("warmup", phases.of(2).name());
        assertEquals(3, phases.first("measured"));
        assertFalse(phases.warmup(3));
    }

    @Test
    void anUnknownPhaseIsNamed() {
        assertThrows(IllegalArgumentException.class, () -> phases.first("capacity"));
    }
}
