package lab.experiments.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;

class OutsideTest {
    @Test
    void everyStepIsAFibonacciPair() {
        Outside outside = new Outside(37, true, 3);
        BigInteger a = BigInteger.ZERO;
        BigInteger b = BigInteger.ONE;
        long done = 0;
        for (int piece = 0; piece < 2 * Outside.DRAWS; piece++) {
            outside.work(piece);
            long steps = outside.steps();
            for (; done < steps; done++) {
                a = a.add(b);
                b = b.add(a);
            }
            assertEquals(a.longValue(), outside.made());
        }
        assertEquals(a.longValue(), outside.expected());
        assertNotEquals(0, outside.made());
    }

    @Test
    void theMeanIsWhatWasAskedFor() {
        for (boolean exponential : new boolean[] {false, true}) {
            for (int mean : new int[] {50, 3_000}) {
                Outside outside = new Outside(mean, exponential, 1);
                for (int piece = 0; piece < Outside.DRAWS; piece++) {
                    outside.work(0);
                }
                assertEquals(mean, (double) outside.steps() / Outside.DRAWS, 0.02 * mean);
            }
        }
    }

    @Test
    void exponentialPiecesSpreadAsTheirMean() {
        Outside outside = new Outside(1_000, true, 1);
        double squares = 0;
        long before = 0;
        for (int piece = 0; piece < Outside.DRAWS; piece++) {
            outside.work(0);
            double off = outside.steps() - before - 1_000;
            squares += off * off;
            before = outside.steps();
        }
        assertEquals(1_000, Math.sqrt(squares / Outside.DRAWS), 30);
    }

    @Test
    void threadsDrawInDifferentOrders() {
        Outside one = new Outside(1_000, true, 0);
        Outside other = new Outside(1_000, true, 1);
        int equal = 0;
        long first = 0;
        long second = 0;
        for (int piece = 0; piece < Outside.DRAWS; piece++) {
            one.work(0);
            other.work(0);
            equal += one.steps() - first == other.steps() - second ? 1 : 0;
            first = one.steps();
            second = other.steps();
        }
        assertEquals(0, equal, Outside.DRAWS / 50);
    }
}
