package lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Iterations began a long time ago, so that what tells one duration from another is far more than a test takes. */
class ReceiptsTest {
    private static final int EVERY = 4;
    private static final long SECOND = 1_000_000_000;
    private static final long AGO = 1000 * SECOND;
    private static final long NEVER = Long.MAX_VALUE;

    private long start;

    private static Load load(int sampleEvery, int stallMs) {
        return new Load(0, 1000, true, 1, sampleEvery, 0, false, stallMs);
    }

    private Receipts receipts(int producers) {
        Receipts receipts = new Receipts(producers, true, producers == 1, load(EVERY, 0), null);
        begin(receipts, true, 0, NEVER);
        return receipts;
    }

    private void begin(Receipts receipts, boolean stamped, long settled, long limit) {
        receipts.prepare(stamped, settled, limit, NEVER);
        start = System.nanoTime() - AGO;
        receipts.opens(start);
    }

    private static void handle(Receipts receipts, int from, int to) {
        for (int i = from; i < to; i++) {
            assertFalse(receipts.on(i, i, i + 70));
        }
    }

    private static void assertSeconds(double from, double to, double nanos) {
        assertTrue(nanos >= from * SECOND && nanos < to * SECOND, nanos / SECOND + " s");
    }

    @Test
    void everyEventIsCountedAndItsContentKept() {
        Receipts receipts = receipts(2);
        receipts.on(Receipts.tag(0), 5, 7);
        receipts.on(Receipts.tag(1), 6, 7);
        receipts.on(Receipts.tag(1) | 1, 9, 7);
        assertEquals(3, receipts.handled());
        assertEquals(1, receipts.numbers);
        assertEquals(5 + 6 + 9, receipts.content);
        assertEquals(0, receipts.misplaced);
    }

    @Test
    void aNumberHoldsItsProducerAndItsIndex() {
        long most = (1L << 40) - 1;
        assertEquals(200, Receipts.producer(Receipts.tag(200) | most));
        assertEquals(most, Receipts.index(Receipts.tag(200) | most));
    }

    @Test
    void anEventOutOfItsPlaceIsCounted() {
        Receipts receipts = receipts(1);
        for (int index : new int[] {0, 2, 1, 1, 2}) {
            receipts.on(index, 0, 0);
        }
        // 2 instead of 1, 1 instead of 3, 1 instead of 2.
        assertEquals(3, receipts.misplaced);
        assertEquals(6, receipts.numbers);
    }

    @Test
    void theLastEndMarkEndsTheIteration() {
        List<List<Long>> forwarded = new ArrayList<>();
        Receipts receipts = receipts(2);
        receipts.forwardTo((number, due, sent) -> forwarded.add(List.of(number, due)));
        receipts.on(0, 7, 7);
        assertFalse(receipts.on(Sender.END, 3, 0));
        assertEquals(0, receipts.end);
        assertTrue(receipts.on(Sender.END, 4, 0));
        assertEquals(7, receipts.announced);
        assertEquals(1, receipts.handled());
        assertEquals(List.of(List.of(0L, 7L), List.of(Sender.END, 7L)), forwarded);
        long end = receipts.end;
        assertSeconds(1000, 2000, end - start);
        receipts.endedBy(end + 1);
        assertEquals(end, receipts.end);
        begin(receipts, true, 0, NEVER);
        assertFalse(receipts.on(Sender.END, 1, 0));
    }

    @Test
    void oneOfSoManyIsSampledBeyondTheSettled() {
        Receipts receipts = receipts(1);
        handle(receipts, 0, 20);
        // 4, 8, 12, 16: the first of all has none before it.
        assertEquals(4, receipts.intended.count());
        begin(receipts, true, 8, NEVER);
        handle(receipts, 0, 20);
        assertEquals(3, receipts.intended.count());
        assertEquals(3, receipts.sent.count());
        assertEquals(3, receipts.since.count());
        assertEquals(3 * 70, receipts.intended.sumAbove(0) - receipts.sent.sumAbove(0));
        assertSeconds(3 * 999, 3 * 2000, receipts.intended.sumAbove(0));
    }

    @Test
    void aPairTellsWhenTheConsumerWasFreeForItsSecond() {
        Receipts receipts = receipts(1);
        handle(receipts, 0, 1);
        receipts.previous = 0;
        handle(receipts, 1, EVERY - 1);
        assertEquals(0, receipts.previous);
        handle(receipts, EVERY - 1, EVERY);
        assertSeconds(1000, 2000, receipts.previous);
        receipts.previous = 900 * SECOND;
        receipts.on(EVERY, 0, 600 * SECOND);
        assertEquals(1, receipts.since.count());
        assertSeconds(100, 300, receipts.since.sumAbove(0));
        assertSeconds(400, 600, receipts.sent.sumAbove(0));
    }

    @Test
    void withoutPairsNoServiceIsKnown() {
        Receipts receipts = receipts(2);
        handle(receipts, 0, 20);
        assertEquals(4, receipts.intended.count());
        assertEquals(0, receipts.since.count());
    }

    @Test
    void whereEveryEventIsSampledEachIsTheFirstOfTheNextPair() {
        Receipts receipts = new Receipts(1, true, true, load(1, 0), null);
        begin(receipts, true, 0, NEVER);
        receipts.on(0, 0, 0);
        assertSeconds(1000, 2000, receipts.previous);
        receipts.on(1, 0, 0);
        assertEquals(1, receipts.since.count());
        assertSeconds(0, 900, receipts.since.sumAbove(0));
    }

    @Test
    void eventsWithoutTimesTellOnlyHowLongAFullQueueTakes() {
        Receipts receipts = receipts(1);
        begin(receipts, false, 0, NEVER);
        for (int i = 0; i < 2 * Pacer.FLOOD_EVERY + 1; i++) {
            receipts.on(i, 600 * SECOND, 600 * SECOND);
        }
        assertEquals(3, receipts.full.count());
        assertSeconds(3 * 400, 3 * 500, receipts.full.sumAbove(0));
        assertEquals(0, receipts.intended.count());
        assertEquals(0, receipts.content);
    }

    @Test
    void whatEndedBeforeItBeganIsCountedAndTakesNoTime() {
        Receipts receipts = receipts(1);
        handle(receipts, 0, EVERY);
        receipts.on(EVERY, 5000 * SECOND, 5000 * SECOND);
        // Against the due time and the time it was sent.
        assertEquals(2, receipts.backward);
        assertEquals(1, receipts.intended.count());
        for (Samples each : List.of(receipts.intended, receipts.sent)) {
            assertEquals(0, each.sumOfSquares());
        }
    }

    @Test
    void theRateIsThatOfTheEventsHandledInTime() {
        Receipts receipts = receipts(1);
        begin(receipts, true, 0, 5000 * SECOND);
        handle(receipts, 0, 10);
        receipts.endedBy(start + 4 * AGO);
        // The last sample is of the ninth event, about now.
        assertEquals(9 / 1000.0, receipts.rate(start), 1 / 1000.0);
        begin(receipts, true, 0, 500 * SECOND);
        handle(receipts, 0, 10);
        receipts.endedBy(start + 4 * AGO);
        assertEquals(10 / 4000.0, receipts.rate(start), 1e-9);
    }

    @Test
    void theConsumerStallsOnce() {
        Receipts receipts = new Receipts(1, true, true, load(EVERY, 20), null);
        receipts.prepare(true, 0, NEVER, 5);
        receipts.opens(System.nanoTime());
        handle(receipts, 0, 8);
        assertEquals(5, receipts.stallAt);
        LockSupport.unpark(Thread.currentThread()); // the first parking returns at once, as any may
        long before = System.nanoTime();
        handle(receipts, 8, 9);
        assertTrue(System.nanoTime() - before >= 20_000_000);
        assertEquals(NEVER, receipts.stallAt);
    }

    @Test
    void anInterruptEndsAStall() {
        Receipts receipts = new Receipts(1, true, true, load(EVERY, 20), null);
        receipts.prepare(true, 0, NEVER, 0);
        Thread.currentThread().interrupt();
        try {
            assertThrows(IllegalStateException.class, () -> receipts.on(0, 0, 0));
        } finally {
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void theWorkIsDoneForEveryEventBeforeItGoesOn() {
        Work work = new Work(1, false, 0);
        Receipts receipts = new Receipts(1, true, true, load(EVERY, 0), work);
        begin(receipts, true, 0, NEVER);
        List<Long> steps = new ArrayList<>();
        receipts.forwardTo((number, due, sent) -> steps.add(work.steps()));
        handle(receipts, 0, 3);
        assertEquals(List.of(1L, 2L, 3L), steps);
    }

    @Test
    void looksInVainBeforeTheFirstEventOfAnIterationBelongToNone() {
        Receipts receipts = receipts(1);
        receipts.failedPolls(5);
        handle(receipts, 0, 1);
        receipts.failedPolls(3);
        receipts.failedPolls(1);
        receipts.failedPoll();
        assertEquals(5, receipts.failedPolls);
    }

    @Test
    void everyIterationBeginsAnew() {
        Receipts receipts = receipts(1);
        begin(receipts, true, 0, 5000 * SECOND);
        handle(receipts, 0, 3);
        handle(receipts, 4, 6);
        receipts.on(8, 5000 * SECOND, 0);
        receipts.failedPoll();
        receipts.batchBegins();
        receipts.batchEnds(3, true);
        Map<String, Double> batches = new HashMap<>();
        receipts.batches.measures(batches::put);
        assertEquals(1, batches.get("batches"));
        assertEquals(3, batches.get("batch_events"));
        assertEquals(1, batches.get("idle_looks"));
        receipts.on(Sender.END, 6, 0);
        begin(receipts, false, 0, NEVER);
        receipts.on(0, 0, 0);
        begin(receipts, true, 0, NEVER);
        assertEquals(0, receipts.handled());
        assertEquals(0, receipts.numbers);
        assertEquals(0, receipts.content);
        assertEquals(0, receipts.misplaced);
        assertEquals(0, receipts.announced);
        assertEquals(0, receipts.end);
        assertEquals(0, receipts.previous);
        assertEquals(0, receipts.inTime);
        assertEquals(0, receipts.backward);
        assertEquals(0, receipts.failedPolls);
        receipts.batches.measures((name, value) -> fail(name));
        for (Samples each : List.of(receipts.intended, receipts.sent, receipts.since, receipts.full)) {
            assertEquals(0, each.count());
        }
        handle(receipts, 0, 1);
        assertEquals(0, receipts.misplaced);
        assertTrue(receipts.on(Sender.END, 1, 0));
    }
}
