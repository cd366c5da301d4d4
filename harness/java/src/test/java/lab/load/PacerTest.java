package lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class PacerTest {
    private static final int STEP = Ticking.STEP;
    private static final double RATE = 1e7;
    private static final long LENGTH_NANOS = 3_000_000;
    private static final long START = 500;
    private static final long NEVER = Long.MAX_VALUE;

    private record Sent(long number, long due, long sent, long at) {}

    private final List<Sent> events = new ArrayList<>();
    private Ticking pacer;
    private final Schedule schedule = new Schedule();

    private void make(int producer, int sampleEvery, LongSupplier handled) {
        Sender sender = (number, due, sent) -> events.add(new Sent(number, due, sent, pacer.now));
        pacer = new Ticking(sender, producer, sampleEvery, handled);
    }

    private void prepare() {
        pacer.prepare(schedule);
        pacer.opens(pacer.now + START);
    }

    private void pace(int sampleEvery, boolean uniform, long jumpAt, long jump) {
        make(0, sampleEvery, null);
        pacer.jumpAt = jumpAt;
        pacer.jump = jump;
        schedule.paced(new Arrivals(uniform, 7), 0, RATE, LENGTH_NANOS);
        prepare();
        pacer.pace();
    }

    private Sent last() {
        return events.get(events.size() - 1);
    }

    @Test
    void noEventIsSentBeforeItIsDue() {
        pace(16, false, NEVER, 0);
        assertEquals(schedule.events + 1, events.size());
        for (int i = 0; i < schedule.events; i++) {
            Sent event = events.get(i);
            assertEquals(i, event.number());
            assertEquals(schedule.due[i], event.due());
            assertTrue(event.sent() >= event.due());
            assertTrue(event.at() - START >= event.sent());
        }
        assertEquals(Sender.END, last().number());
        assertEquals(schedule.events, last().due());
        assertEquals(last().sent(), last().at() - START);
        assertTrue(pacer.end > last().at());
    }

    @Test
    void anEventIsSentAtTheFirstReadingAtWhichItIsDue() {
        pace(1 << 20, true, NEVER, 0);
        // The first is sampled: it was found due by a reading, which is fresh enough to be its own.
        for (Sent event : events.subList(0, schedule.events)) {
            assertEquals(event.due(), event.sent());
        }
    }

    @Test
    void afterAJumpAllThatIsDueGoesOutInOrder() {
        pace(2, true, 500_000, 1_000);
        List<Sent> late = events.stream()
                .filter(event -> event.number() >= 0 && event.sent() - event.due() > 2 * STEP)
                .toList();
        // A jump of ten intervals of 100 ns: ten events were due meanwhile, each with the time it was due at.
        assertTrue(late.size() >= 9 && late.size() <= 11, late.toString());
        for (int i = 1; i < late.size(); i++) {
            assertEquals(late.get(i - 1).number() + 1, late.get(i).number());
            assertEquals(late.get(i - 1).due() + 100, late.get(i).due());
        }
        assertEquals(schedule.events + 1, events.size());
    }

    @Test
    void sampledEventsGetAFreshReadingAndTellHowLateTheyAre() {
        pace(4, true, 2_000_000, 1_000);
        long samples = 0;
        long late = 0;
        for (Sent event : events.subList(0, schedule.events)) {
            if (event.number() % 4 == 0) {
                assertEquals(event.at() - START, event.sent());
                boolean settled = event.number() >= schedule.settled();
                samples += settled ? 1 : 0;
                late += settled ? event.sent() - event.due() : 0;
            }
        }
        assertEquals(samples, pacer.late.count());
        assertEquals(late, pacer.late.sumAbove(0));
    }

    @Test
    void anIterationWithoutEventsEndsAtItsStart() {
        make(0, 16, () -> fail("no event is on its way"));
        schedule.empty();
        prepare();
        pacer.pace();
        assertEquals(1, events.size());
        assertEquals(0, pacer.sent());
        assertTrue(last().at() >= START, last().toString());
    }

    @Test
    void anEventSaysWhoseItIs() {
        make(2, 16, null);
        schedule.paced(new Arrivals(true, 7), 0, RATE, LENGTH_NANOS);
        prepare();
        pacer.pace();
        for (int i = 0; i < schedule.events; i++) {
            assertEquals(2, Receipts.producer(events.get(i).number()));
            assertEquals(i, Receipts.index(events.get(i).number()));
        }
        assertEquals(Sender.END, last().number());
    }

    /** All the time three events are on their way, in the last 2 of 3 ms, every 8 to 32 us. */
    @Test
    void eventsOnTheirWayAreCountedNowAndThen() {
        make(0, 16, () -> {
            assertTrue(events.size() > schedule.settled());
            return events.size() - 3;
        });
        schedule.paced(new Arrivals(true, 7), 0, RATE, LENGTH_NANOS);
        prepare();
        pacer.pace();
        assertEquals(100, pacer.occupancySamples, 25);
        // A look is a reading of the clock long, and one event in ten falls due in so long.
        assertEquals(3.1, (double) pacer.occupancySum / pacer.occupancySamples, 0.2);
    }

    /** A look takes time, in which nothing is sent and the others go on. */
    @Test
    void whatFallsDueDuringALookIsOnItsWay() {
        make(0, 1 << 20, () -> {
            pacer.now += 1_000;
            return events.size();
        });
        schedule.paced(new Arrivals(true, 7), 0, RATE, LENGTH_NANOS);
        prepare();
        pacer.pace();
        // Ten, and none where the look itself found an event due.
        assertEquals(9.5, (double) pacer.occupancySum / pacer.occupancySamples, 0.6);
    }

    /** What is sent late was due before the look. */
    @Test
    void aLookInABacklogCountsWhatWasSent() {
        make(0, 1, () -> {
            pacer.now += 100_000;
            return events.size();
        });
        schedule.paced(new Arrivals(true, 7), 0, RATE, LENGTH_NANOS);
        prepare();
        pacer.pace();
        assertTrue(pacer.occupancySamples > 10, "looks: " + pacer.occupancySamples);
        // But for the few looks that find it waiting, in each of which a thousand fall due.
        assertEquals(0.0, (double) pacer.occupancySum / pacer.occupancySamples, 0.5);
    }

    @Test
    void producersLookAtTimesOfTheirOwn() {
        List<List<Long>> looks = new ArrayList<>();
        for (int producer = 0; producer < 2; producer++) {
            List<Long> own = new ArrayList<>();
            make(producer, 16, () -> {
                own.add(pacer.now);
                return 0;
            });
            schedule.paced(new Arrivals(true, 7), 0, RATE, LENGTH_NANOS);
            prepare();
            pacer.pace();
            looks.add(own);
        }
        assertNotEquals(looks.get(0), looks.get(1));
    }

    @Test
    void everyIterationBeginsAnew() {
        make(0, 16, () -> 0);
        schedule.paced(new Arrivals(true, 7), 0, RATE, LENGTH_NANOS);
        prepare();
        pacer.pace();
        long late = pacer.late.count();
        long looks = pacer.occupancySamples;
        prepare();
        pacer.pace();
        assertEquals(2 * (schedule.events + 1), events.size());
        assertEquals(schedule.events, pacer.sent());
        assertEquals(late, pacer.late.count());
        assertEquals(looks, pacer.occupancySamples, 25);
        // Looks lie between the 10,000th and the 30,000th event.
        assertEquals(20_000, (double) pacer.occupancySum / pacer.occupancySamples, 4_000);
    }

    @Test
    void withoutARateItSendsUntilTheLimit() {
        make(0, 16, null);
        schedule.saturated(10_000);
        prepare();
        pacer.pace();
        // A reading before 16 events each, for the first of them that which found them due; at 10,000 ns is the limit.
        assertEquals(10_000 / STEP * 16, events.size() - 1);
        assertEquals(events.size() - 1, pacer.sent());
        assertEquals(pacer.sent(), last().due());
    }

    /** Else an iteration that begins late would have handled nothing in no time. */
    @Test
    void someAreSentHoweverLateItIs() {
        make(0, 16, null);
        schedule.saturated(1_000);
        prepare();
        pacer.opens(pacer.now - LENGTH_NANOS);
        pacer.pace();
        assertEquals(16, pacer.sent());
        prepare();
        pacer.opens(pacer.now - LENGTH_NANOS);
        pacer.flood();
        assertEquals(Pacer.FLOOD_EVERY, pacer.sent());
    }

    @Test
    void aFloodStampsOneOfManyEvents() {
        make(0, 16, null);
        schedule.saturated(1_000);
        prepare();
        pacer.flood();
        // Readings at 10, 20, ... 990 ns from the start; at the next the limit is reached.
        assertEquals(99 * Pacer.FLOOD_EVERY, pacer.sent());
        assertEquals(pacer.sent(), last().due());
        for (Sent event : events.subList(0, (int) pacer.sent())) {
            boolean stamped = event.number() % Pacer.FLOOD_EVERY == 0;
            assertEquals(stamped ? event.at() - START : -1, event.sent());
            assertEquals(event.sent(), event.due());
        }
    }

    /** Before the start, while it paces, while it floods. */
    @Test
    void anInterruptEndsIt() {
        make(0, 16, null);
        schedule.paced(new Arrivals(true, 7), 0, RATE, LENGTH_NANOS);
        prepare();
        assertInterrupted(pacer::pace);
        schedule.saturated(LENGTH_NANOS);
        prepare();
        events.clear();
        assertInterrupted(pacer::flood);
        assertEquals(List.of(), events);
        prepare();
        pacer.opens(pacer.now);
        assertInterrupted(pacer::flood);
    }

    private void assertInterrupted(Runnable sending) {
        Thread.currentThread().interrupt();
        try {
            assertThrows(IllegalStateException.class, sending::run);
        } finally {
            assertTrue(Thread.interrupted());
        }
        assertTrue(events.stream().noneMatch(event -> event.number() == Sender.END));
    }
}
