package lab.experiments.ipc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class InRingTest {
    private final Transport.InRing inRing = new Transport.InRing();

    private void sees(double sum, long over) {
        assertEquals(sum, inRing.sum);
        assertEquals(over, inRing.over);
    }

    @Test
    void messagesCountForAsLongAsTheyLieThere() {
        inRing.begin();
        // The consumer comes late: 8 messages lie there by then, 4 in the mean.
        inRing.sample(8, 1_000, 1_100);
        sees(400, 100);
        inRing.sample(10, 1_001, 1_110); // 9 for 10 ns
        sees(490, 110);
        // It lies there for 90 ns while a hundred more come, which are taken at once.
        inRing.sample(110, 1_002, 1_200);
        for (int behind = 109; behind >= 0; behind--) {
            inRing.sample(behind, 1_100, 1_200);
        }
        sees(490 + 60 * 90, 200);
    }

    @Test
    void anIterationBeginsAnew() {
        inRing.begin();
        inRing.sample(7, 1_000, 2_000);
        inRing.begin();
        sees(0, 0);
        inRing.sample(6, 50_000, 50_010);
        sees(30, 10);
    }
}
