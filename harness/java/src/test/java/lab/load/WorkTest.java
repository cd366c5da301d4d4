package lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;

class WorkTest {
    @Test
    void everyStepIsAFibonacciPair() {
        Work work = new Work(37, true, 3);
        BigInteger a = BigInteger.ZERO;
        BigInteger b = BigInteger.ONE;
        long done = 0;
        for (int piece = 0; piece < 2 * Work.DRAWS; piece++) {
            work.work(piece);
            long steps = work.steps();
            for (; done < steps; done++) {
                a = a.add(b);
                b = b.add(a);
            }
            assertEquals(a.longValue(), work.made());
        }
        assertEquals(a.longValue(), work.expected());
        assertEquals(a.longValue(), work.expected(2 * Work.DRAWS));
        work.work(0);
        assertEquals(work.made(), work.expected(2 * Work.DRAWS + 1));
        assertEquals(0, work.expected(0));
        assertNotEquals(0, work.made());
    }

    @Test
    void theMeanIsWhatWasAskedFor() {
        for (boolean exponential : new boolean[] {false, true}) {
            for (int mean : new int[] {50, 3_000}) {
                Work work = new Work(mean, exponential, 1);
                for (int piece = 0; piece < Work.DRAWS; piece++) {
                    work.work(0);
                }
                assertEquals(mean, (double) work.steps() / Work.DRAWS, 0.02 * mean);
            }
        }
    }

    @Test
    void exponentialPiecesSpreadAsTheirMean() {
        Work work = new Work(1_000, true, 1);
        double squares = 0;
        long before = 0;
        for (int piece = 0; piece < Work.DRAWS; piece++) {
            work.work(0);
            double off = work.steps() - before - 1_000;
            squares += off * off;
            before = work.steps();
        }
        assertEquals(1_000, Math.sqrt(squares / Work.DRAWS), 30);
    }

    @Test
    void threadsDrawInDifferentOrders() {
        Work one = new Work(1_000, true, 0);
        Work other = new Work(1_000, true, 1);
        int equal = 0;
        long first = 0;
        long second = 0;
        for (int piece = 0; piece < Work.DRAWS; piece++) {
            one.work(0);
            other.work(0);
            equal += one.steps() - first == other.steps() - second ? 1 : 0;
            first = one.steps();
            second = other.steps();
        }
        assertEquals(0, equal, Work.DRAWS / 50);
    }
}
