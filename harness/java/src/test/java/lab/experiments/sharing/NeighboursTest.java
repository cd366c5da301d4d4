package lab.experiments.sharing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class NeighboursTest {
    @Test
    void distanceIsTheSmallestOfAnyTwo() {
        assertEquals(24, Neighbours.distance(new long[] {4096, 128, 4120}));
    }

    @Test
    void blocksAreAligned() {
        assertEquals(0, Neighbours.sharing(new long[] {56, 64}, 64));
        assertEquals(2, Neighbours.sharing(new long[] {56, 64}, 128));
        assertEquals(2, Neighbours.sharing(new long[] {0, 640, 8}, 64));
        assertEquals(0, Neighbours.sharing(new long[] {0}, 64));
    }
}
