package lab.experiments.ipc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import lab.Native;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A consumer that sleeps and a producer that wakes it: the order of what they do, and a race of both. */
class BellTest {
    private static final int MESSAGES = 50_000;
    private static final long MOST_NANOS = 1_000_000;
    private static final long LONG_NANOS = 1_000_000_000;

    @TempDir
    Path folder;

    private Ring ring;
    private Ring.Producer producer;
    private Ring.Consumer consumer;
    private Ring.Bell bell;

    @BeforeEach
    void create() {
        Assumptions.assumeTrue(Native.available());
        Path file = folder.resolve("ring");
        RingFile.create(file, 4096, BufferMemory::map);
        ring = RingFile.attach(file, BufferMemory::map);
        producer = new Ring.Producer(ring);
        consumer = new Ring.Consumer(ring);
        bell = new Ring.Bell((BufferMemory) ring.memory);
    }

    private void offer(int value) {
        int at;
        while ((at = producer.claim(60)) == Ring.Producer.FULL) {
            Thread.yield();
        }
        ring.memory.putInt(at, value);
        producer.commit();
    }

    private boolean polled() {
        return consumer.poll() != Ring.Consumer.EMPTY;
    }

    @Test
    void whoIsNotWokenSaysSo() {
        bell.announce();
        assertFalse(polled());
        assertTrue(bell.sleep(MOST_NANOS));
        assertEquals(1, ring.memory.getInt(Ring.Bell.ASLEEP_AT));
    }

    @Test
    void whoHasOnlySaidSoDoesNotSleep() {
        bell.announce();
        offer(1);
        bell.wake();
        assertEquals(0, ring.memory.getInt(Ring.Bell.ASLEEP_AT));
        assertFalse(bell.sleep(LONG_NANOS));
        assertTrue(polled());
    }

    /** What comes between the first look and the announcement is found by the second. */
    @Test
    void theSecondLookFindsWhatTheFirstMissed() {
        offer(1);
        bell.wake();
        bell.announce();
        assertTrue(polled());
        bell.stay();
        assertEquals(0, ring.memory.getInt(Ring.Bell.ASLEEP_AT));
    }

    /** A consumer that does not look again, a producer that looks before it commits: the sleep tells what is lost. */
    @Test
    void brokenTwinsLoseMessages() {
        offer(1);
        bell.wake();
        bell.announce();
        assertTrue(bell.sleep(MOST_NANOS) && polled());
        consumer.release();
        bell.stay();
        bell.wake();
        bell.announce();
        assertFalse(polled());
        offer(2);
        assertTrue(bell.sleep(MOST_NANOS) && polled());
    }

    /** The producer before it was killed after its commit, or on the way to the wake-up. */
    @Test
    void theNextProducerWakes() {
        for (int left = 0; left < 2; left++) {
            offer(1);
            ring.memory.putInt(Ring.Bell.ASLEEP_AT, left);
            bell.rouse();
            assertFalse(bell.sleep(LONG_NANOS));
            assertTrue(polled());
            consumer.release();
        }
    }

    private int take() {
        int lost = 0;
        for (int n = 0; n < MESSAGES; n++) {
            int at;
            while ((at = consumer.poll()) == Ring.Consumer.EMPTY) {
                bell.announce();
                if (polled()) {
                    bell.stay();
                    continue;
                }
                // A producer may be stopped for long between its message and the call: lost is what the next sleep
                // finds too.
                boolean there = false;
                while (bell.sleep(LONG_NANOS)) {
                    lost += there && polled() ? 1 : 0;
                    there = polled();
                }
            }
            assertEquals(n, ring.memory.getInt(at));
            consumer.release();
        }
        return lost;
    }

    @Test
    void nothingIsLostInARace() {
        CompletableFuture<Integer> taker = CompletableFuture.supplyAsync(this::take);
        Random random = new Random(1);
        for (int n = 0; n < MESSAGES; n++) {
            offer(n);
            bell.wake();
            for (int turns = random.nextInt(512); turns > 0; turns--) {
                Thread.onSpinWait();
            }
        }
        assertEquals(0, taker.join());
        assertTrue(consumer.drained());
        assertNotEquals(0, ring.head());
    }
}
