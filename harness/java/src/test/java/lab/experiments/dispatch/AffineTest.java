package lab.experiments.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class AffineTest {
    @Test
    void powersAreWhatIterationGives() {
        Affine step = new Affine(1_664_525, 1_013_904_223);
        int value = 5;
        for (int times = 0; times < 100; times++) {
            assertEquals(value, step.power(times).apply(5));
            value = value * 1_664_525 + 1_013_904_223;
        }
    }

    @Test
    void theHistoricalStepReachesItsFixedPoint() {
        assertEquals(7 * 31, new Affine(2, 7).power(5).apply(0));
        assertEquals(-7, new Affine(2, 7).power(32).apply(0));
        assertEquals(-7, new Affine(2, 7).power(50_000_000).apply(0));
    }
}
