package lab.experiments.queues;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Supplier;
import lab.Harness;
import lab.Workers;
import org.junit.jupiter.api.Test;

/** Structures that lose, repeat, swap or forge events, and threads of theirs that die, sleep for good or never run. */
class WrongStructuresTest extends QueuesRuns {
    private static final long SHORT_GRACE_NANOS = 300_000_000;

    private static Structure queue() {
        return new BlockingStructure(new ArrayBlockingQueue<>(SLOTS), SLOTS, Event.Timed::new);
    }

    private static Structure spinning() {
        return new PollingStructure(new ArrayBlockingQueue<>(SLOTS), SLOTS, true, Event.Timed::new, null);
    }

    private static RingBuffer<Event> ring() {
        return RingBuffer.createSingleProducer(Event.Timed::new, SLOTS, new BusySpinWaitStrategy());
    }

    private static Structure disruptor() {
        return new DisruptorStructure(ring(), Topology.ONE_TO_ONE, 1, 0);
    }

    private Harness.Result broken(Supplier<Structure> structure, long graceNanos) {
        return measure(Topology.ONE_TO_ONE, trial -> structure.get(), graceNanos, "--rate", "100000");
    }

    @Test
    void wrongStructuresAreFoundOut() {
        assertFound("events handled equal events sent", () -> Twin.sending(queue(), s -> Twin.losing(s, 123)));
        assertFound("events handled equal events sent", () -> Twin.sending(queue(), s -> Twin.doubling(s, 123)));
        assertFound("events out of order", () -> Twin.sending(queue(), s -> Twin.swapping(s, 123)));
        assertFound("sum of the due times", () -> Twin.sending(queue(), s -> Twin.forging(s, 123)));
    }

    private void assertFound(String check, Supplier<Structure> wrong) {
        Harness.Result result = broken(wrong, Workers.GRACE_NANOS);
        assertEquals(4, result.status(), result.err());
        assertTrue(result.err().contains(check), result.err());
        assertEquals(1, result.err().lines().count());
    }

    @Test
    void aLostWakeUpEndsTheTrial() {
        assertAbandoned("no iteration ended in", () -> new ForgetfulStructure(200));
    }

    @Test
    void aConsumerThatNeverTakesEndsTheTrial() {
        assertAbandoned("no iteration ended in", () -> Twin.receiving(queue(), receipts -> WrongStructuresTest::sleep));
    }

    private static void sleep() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            throw Pause.interrupted(e);
        }
    }

    @Test
    void aProcessorHaltedBeforeItRunsIsFoundOut() {
        RingBuffer<Event> ring = ring();
        BatchEventProcessor<Event> processor =
                new BatchEventProcessorBuilder().build(ring, ring.newBarrier(), (event, sequence, endOfBatch) -> {});
        Structure halted = Twin.receiving(new DisruptorStructure(ring, Topology.ONE_TO_ONE, 1, 0), receipts -> () -> {
            processor.halt();
            processor.run();
        });
        assertFound("events handled equal events sent", () -> halted);
    }

    @Test
    void aProducerThatDiesIsNamed() {
        for (Supplier<Structure> each : List.<Supplier<Structure>>of(
                WrongStructuresTest::queue, WrongStructuresTest::spinning, WrongStructuresTest::disruptor)) {
            assertAbandoned("producer 0 died", () -> Twin.sending(each.get(), s -> Twin.dying(s, 100)));
        }
    }

    @Test
    void aConsumerThatDiesIsNamed() {
        for (Supplier<Structure> each : List.<Supplier<Structure>>of(
                WrongStructuresTest::queue, WrongStructuresTest::spinning, WrongStructuresTest::disruptor)) {
            Structure structure = each.get();
            assertAbandoned(
                    "consumer 0 died",
                    () -> Twin.receiving(structure, receipts -> {
                        receipts.forwardTo(Twin.dying((number, due, sent) -> {}, 100));
                        return structure.receiver(0, receipts);
                    }));
        }
    }

    private void assertAbandoned(String cause, Supplier<Structure> structure) {
        Harness.Result result = broken(structure, SHORT_GRACE_NANOS);
        assertEquals(4, result.status(), result.err());
        assertTrue(result.err().contains(cause), result.err());
        assertEquals(1, result.err().lines().count(), result.err());
        assertFalse(Files.exists(out()));
    }
}
