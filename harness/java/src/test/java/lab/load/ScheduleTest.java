package lab.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import lab.Failure;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final long SECOND = 1_000_000_000;

    private final Arrivals poisson = new Arrivals(false, 1);
    private final Schedule schedule = new Schedule();

    @Test
    void theMeanRateIsTheOneAskedFor() {
        schedule.paced(poisson, 0, 1e5, SECOND);
        assertEquals(1e5, schedule.events, 1e3);
        schedule.paced(new Arrivals(true, 1), 0, 1e5, SECOND);
        assertEquals(1e5, schedule.events, 1);
    }

    @Test
    void dueTimesAscendAndEndBeforeTheIterationDoes() {
        for (int place : new int[] {0, Arrivals.LENGTH - 3}) {
            schedule.paced(poisson, place, 1e6, 20_000_000);
            for (int i = 1; i < schedule.events; i++) {
                assertTrue(schedule.due[i] >= schedule.due[i - 1]);
            }
            assertTrue(schedule.due[schedule.events - 1] < 20_000_000);
        }
    }

    /** Kolmogorov and Smirnov: 1.63 / sqrt(n) is exceeded by one sample in 100; the seed is fixed. */
    @Test
    void gapsAreExponential() {
        int n = 100_000;
        double[] gaps = new double[n];
        Arrays.setAll(gaps, i -> poisson.gap(0, i));
        Arrays.sort(gaps);
        double worst = 0;
        for (int i = 0; i < n; i++) {
            double expected = 1 - Math.exp(-gaps[i]);
            worst = Math.max(worst, Math.max(expected - (double) i / n, (double) (i + 1) / n - expected));
        }
        assertTrue(worst < 1.63 / Math.sqrt(n), "distance " + worst);
    }

    /** The reference values of splitmix64, seed 1234567 (Vigna); the harness in C tests the same. */
    @Test
    void theGeneratorIsThatOfEveryOtherLanguage() {
        SplitMix random = new SplitMix(1234567);
        assertEquals(6457827717110365317L, random.next());
        assertEquals(3203168211198807973L, random.next());
        assertEquals(Long.parseUnsignedLong("9817491932198370423"), random.next());
    }

    @Test
    void iterationsAndProducersBeginElsewhere() {
        assertEquals(0, Arrivals.place(0, 0, 1));
        assertEquals(7919, Arrivals.place(1, 0, 1));
        assertEquals(7919 + Arrivals.LENGTH / 3, Arrivals.place(1, 1, 3));
        assertTrue(Arrivals.place(100_000, 2, 3) < Arrivals.LENGTH);
    }

    @Test
    void anotherPlaceHasOtherArrivals() {
        schedule.paced(poisson, 0, 1e6, 1_000_000);
        long[] first = Arrays.copyOf(schedule.due, 100);
        schedule.paced(poisson, 7919, 1e6, 1_000_000);
        double sum = 0;
        for (int i = 0; i < 100; i++) {
            sum += poisson.gap(7919, i);
            assertEquals((long) (sum * 1e3), schedule.due[i]);
        }
        assertFalse(Arrays.equals(first, Arrays.copyOf(schedule.due, 100)));
        schedule.paced(poisson, 0, 1e6, 1_000_000);
        assertArrayEquals(first, Arrays.copyOf(schedule.due, 100));
        assertEquals(Long.MAX_VALUE, schedule.limit);
    }

    @Test
    void theContentIsThatOfTheEventsSent() {
        schedule.paced(new Arrivals(true, 1), 0, 1e6, 5_000_000);
        assertEquals(0, schedule.content(0));
        assertEquals(1_000 + 2_000 + 3_000, schedule.content(3));
    }

    @Test
    void aBurstIsDueAtOnce() {
        schedule.bursts(poisson, 0, 1e6, 20_000_000);
        assertEquals(0, schedule.events % 64);
        assertEquals(1e6 * 0.02, schedule.events, 0.4 * 1e6 * 0.02);
        for (int i = 0; i < schedule.events; i++) {
            assertEquals(schedule.due[i - i % 64], schedule.due[i]);
        }
    }

    @Test
    void nothingIsLeftOfTheSchedulesBefore() {
        schedule.paced(poisson, 0, 1e6, 5_000_000);
        schedule.paced(poisson, 0, 1e6, 1_000_000);
        schedule.empty();
        assertEquals(0, schedule.events);
        assertEquals(Long.MAX_VALUE, schedule.limit);
        schedule.saturated(5_000_000);
        assertEquals(schedule.due.length, schedule.events);
        assertEquals(0, Arrays.stream(schedule.due).max().getAsLong());
        assertEquals(5_000_000, schedule.limit);
    }

    @Test
    void theBeginningIsNotSampled() {
        schedule.paced(new Arrivals(true, 1), 0, 1e6, 5_000_000);
        assertTrue(schedule.due[schedule.settled()] >= 1_000_000);
        assertTrue(schedule.due[schedule.settled() - 1] < 1_000_000);
        schedule.paced(new Arrivals(true, 1), 0, 1e6, 50_000_000);
        assertEquals(schedule.events / 10, schedule.settled());
        schedule.paced(new Arrivals(true, 1), 0, 1e6, 500_000);
        assertEquals(schedule.events, schedule.settled());
    }

    @Test
    void asManyEventsAsThereMayBeAreNot() {
        Arrivals everyNanosecond = new Arrivals(true, 1);
        schedule.paced(everyNanosecond, 0, 1e9, Schedule.MOST + 1);
        assertEquals(Schedule.MOST, schedule.events);
        assertThrows(Failure.class, () -> schedule.paced(everyNanosecond, 0, 1e9, Schedule.MOST + 2));
    }

    @Test
    void tooManyEventsAreRefused() {
        Failure failure = assertThrows(Failure.class, () -> schedule.paced(new Arrivals(true, 1), 0, 1e9, 10_000_000));
        assertEquals(2, failure.status());
        assertTrue(failure.getMessage().contains("--rate"), failure.getMessage());
        assertTrue(failure.getMessage().contains("--iteration-ms 10"), failure.getMessage());
    }
}
