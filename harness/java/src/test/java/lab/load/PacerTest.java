package lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacerTest {
    private static final int STEP = 10;
    private static final double RATE = 1e7;

    /** A clock that advances by a step at each reading, and once by a jump. */
    private static final class Scripted extends Pacer {
        private long now;
        private long jumpAt = Long.MAX_VALUE;
        private long jump;

        Scripted(Sender sender, int sampleEvery) {
            super(sender, 0, sampleEvery, false, null, 1);
        }

        @Override
        long nanos() {
            now += STEP;
            if (now >= jumpAt) {
                now += jump;
                jumpAt = Long.MAX_VALUE;
            }
            return now;
        }
    }

    private record Sent(long number, long due, long sent, long at) {}

    private final List<Sent> events = new ArrayList<>();
    private Scripted pacer;
    private final Schedule schedule = new Schedule();

    private void pace(int sampleEvery, boolean uniform, long jumpAt, long jump) {
        pacer = new Scripted((number, due, sent) -> events.add(new Sent(number, due, sent, pacer.now)), sampleEvery);
        pacer.jumpAt = jumpAt;
        pacer.jump = jump;
        schedule.paced(new Arrivals(uniform, 7), 0, RATE, 3_000_000);
        pacer.prepare(schedule);
        pacer.opens(500);
        pacer.pace();
    }

    @Test
    void noEventIsSentBeforeItIsDue() {
        pace(16, false, Long.MAX_VALUE, 0);
        assertEquals(schedule.events() + 1, events.size());
        for (int i = 0; i < schedule.events(); i++) {
            Sent event = events.get(i);
            assertEquals(i, event.number());
            assertEquals(schedule.due()[i], event.due());
            assertTrue(event.sent() >= event.due());
            assertTrue(event.at() - 500 >= event.sent());
        }
        Sent end = events.get(schedule.events());
        assertEquals(Sender.END, end.number());
        assertEquals(schedule.events(), end.due());
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
        assertEquals(schedule.events() + 1, events.size());
    }

    @Test
    void sampledEventsGetAFreshReading() {
        pace(4, true, 500_000, 1_000);
        for (Sent event : events) {
            if (event.number() >= 0 && event.number() % 4 == 0) {
                assertEquals(event.at() - 500, event.sent());
            }
        }
        assertTrue(pacer.late.count() > 0);
    }

    @Test
    void withoutARateItSendsUntilTheLimit() {
        pacer = new Scripted((number, due, sent) -> events.add(new Sent(number, due, sent, pacer.now)), 16);
        schedule.saturated(10_000);
        pacer.prepare(schedule);
        pacer.opens(0);
        pacer.pace();
        // One reading of 10 ns in 16 events.
        assertEquals(10_000 / STEP * 16, events.size() - 1, 64);
        assertEquals(events.size() - 1, pacer.sent());
        assertEquals(pacer.sent(), events.get(events.size() - 1).due());
    }

    @Test
    void aFloodStampsOneOfManyEvents() {
        pacer = new Scripted((number, due, sent) -> events.add(new Sent(number, due, sent, pacer.now)), 16);
        schedule.saturated(1_000);
        pacer.prepare(schedule);
        pacer.opens(0);
        pacer.flood();
        assertEquals(0, pacer.sent() % Pacer.FLOOD_EVERY);
        assertTrue(pacer.sent() > 0);
        for (Sent event : events.subList(0, (int) pacer.sent())) {
            assertEquals(event.number() % Pacer.FLOOD_EVERY == 0, event.sent() >= 0);
        }
    }
}
