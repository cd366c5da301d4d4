package lab.experiments.ipc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import lab.Failure;
import lab.ForeignMemory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ring and its file: what is in it, what is refused, and what a process that was killed leaves. */
class RingTest {
    private static final int CAPACITY = 4096;

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void create() {
        file = folder.resolve("ring");
        RingFile.create(file, CAPACITY, BufferMemory::map);
    }

    static List<Memory.Shared.Mapping> mappings() {
        List<Memory.Shared.Mapping> mappings = new ArrayList<>(List.of(BufferMemory::map));
        if (ForeignMemory.missing().isEmpty()) {
            mappings.add(SegmentMemory::map);
        }
        return mappings;
    }

    private Ring attach() {
        return RingFile.attach(file, BufferMemory::map);
    }

    private static boolean offer(Ring ring, Ring.Producer producer, byte[] payload) {
        int at = producer.claim(payload.length);
        if (at == Ring.Producer.FULL) {
            return false;
        }
        for (int i = 0; i < payload.length; i++) {
            RingEnd.put(ring.memory, at + i, payload[i]);
        }
        producer.commit();
        return true;
    }

    private static byte[] poll(Ring ring, Ring.Consumer consumer) {
        int at = consumer.poll();
        if (at == Ring.Consumer.EMPTY) {
            return null;
        }
        byte[] payload = new byte[consumer.length()];
        for (int i = 0; i < payload.length; i++) {
            payload[i] = RingEnd.get(ring.memory, at + i);
        }
        return payload;
    }

    private static byte[] payload(int length, int seed) {
        byte[] payload = new byte[length];
        new Random(seed).nextBytes(payload);
        return payload;
    }

    @Test
    void theFileHasItsLayout() throws IOException {
        Ring ring = attach();
        Ring.Producer producer = new Ring.Producer(ring);
        offer(ring, producer, payload(60, 1));
        offer(ring, producer, payload(7, 2));
        Ring.Consumer consumer = new Ring.Consumer(ring);
        consumer.poll();
        consumer.release();
        byte[] bytes = Files.readAllBytes(file);
        Memory.Shared memory = ring.memory;
        assertEquals(4096 + CAPACITY, bytes.length);
        assertEquals("LABRING1", new String(bytes, 0, 8, StandardCharsets.US_ASCII));
        assertEquals(1, memory.getInt(8));
        assertEquals(4096, memory.getInt(12));
        assertEquals(CAPACITY, memory.getLong(16));
        assertEquals(4096 + CAPACITY, memory.getLong(24));
        assertEquals(64 + 16, memory.getLong(128));
        assertEquals(64, memory.getLong(256));
        assertEquals(60, memory.getInt(4096));
        assertArrayEquals(payload(60, 1), Arrays.copyOfRange(bytes, 4100, 4160));
        assertEquals(7, memory.getInt(4160));
        assertArrayEquals(payload(7, 2), Arrays.copyOfRange(bytes, 4164, 4171));
        assertEquals(0, memory.getInt(4176));
    }

    /** What comes out is what went in, in order, whatever the lengths; and it is full and empty when it should be. */
    @ParameterizedTest
    @MethodSource("mappings")
    void aQueueOfBytesThatIsBounded(Memory.Shared.Mapping mapping) {
        for (int fixed : new int[] {0, 1, 7, 60, 61, Ring.most(CAPACITY)}) {
            RingFile.create(file, CAPACITY, mapping);
            Ring ring = RingFile.attach(file, mapping);
            assertEquals(CAPACITY, ring.capacity);
            Ring.Producer producer = new Ring.Producer(ring);
            Ring.Consumer consumer = new Ring.Consumer(ring);
            Deque<byte[]> expected = new ArrayDeque<>();
            Random random = new Random(fixed);
            int full = 0;
            for (int i = 0; i < 20_000; i++) {
                // Long stretches of either, so that it is sometimes full and sometimes empty.
                if (random.nextInt(100) < ((i / 2000) % 2 == 0 ? 70 : 30)) {
                    byte[] payload = payload(fixed == 0 ? 1 + random.nextInt(Ring.most(CAPACITY)) : fixed, i);
                    if (offer(ring, producer, payload)) {
                        expected.add(payload);
                    } else {
                        full++;
                        long used = ring.tail() - ring.head();
                        int gap = CAPACITY - ((int) ring.tail() & (CAPACITY - 1));
                        int record = Ring.record(payload.length);
                        assertTrue(used + record + (record > gap ? gap : 0) + 8 > CAPACITY, "full too early");
                    }
                } else {
                    byte[] payload = poll(ring, consumer);
                    assertArrayEquals(expected.poll(), payload);
                    if (payload != null) {
                        consumer.release();
                    }
                }
            }
            assertNotEquals(0, full);
        }
    }

    @Test
    void aMessageThatWasNotReleasedComesAgain() {
        Ring ring = attach();
        Ring.Producer producer = new Ring.Producer(ring);
        for (int i = 0; i < 3; i++) {
            offer(ring, producer, payload(60, i));
        }
        Ring.Consumer first = new Ring.Consumer(ring);
        first.poll();
        first.release();
        first.poll();
        Ring.Consumer second = new Ring.Consumer(attach());
        assertArrayEquals(payload(60, 1), poll(ring, second));
        second.release();
        assertArrayEquals(payload(60, 2), poll(ring, second));
    }

    @Test
    void aMessageWithoutItsLengthNeverWas() {
        Ring ring = attach();
        Ring.Producer killed = new Ring.Producer(ring);
        offer(ring, killed, payload(60, 1));
        ring.memory.putLong(killed.claim(60) + 8, -1);
        Ring.Producer next = new Ring.Producer(attach());
        offer(ring, next, payload(61, 2));
        Ring.Consumer consumer = new Ring.Consumer(ring);
        assertArrayEquals(payload(60, 1), poll(ring, consumer));
        consumer.release();
        assertArrayEquals(payload(61, 2), poll(ring, consumer));
    }

    /** Killed after the length and before the tail, at every place in the ring, taken meanwhile or not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMessageWithItsLengthIsOne(boolean taken) {
        Ring ring = attach();
        Ring.Producer producer = new Ring.Producer(ring);
        Ring.Consumer consumer = new Ring.Consumer(ring);
        for (int i = 0; i < 200; i++) {
            long told = ring.tail();
            offer(ring, producer, payload(61 + i, i));
            ring.memory.putLongOpaque(Ring.TAIL_AT, told);
            if (taken) {
                assertArrayEquals(payload(61 + i, i), poll(ring, consumer));
                consumer.release();
            }
            producer = new Ring.Producer(attach());
            if (!taken) {
                assertArrayEquals(payload(61 + i, i), poll(ring, consumer));
                consumer.release();
            }
        }
        assertEquals(ring.head(), ring.tail());
    }

    @Test
    void whoAttachesWritesNothing() throws IOException {
        Ring ring = attach();
        offer(ring, new Ring.Producer(ring), payload(100, 1));
        byte[] before = Files.readAllBytes(file);
        new Ring.Consumer(attach());
        assertArrayEquals(before, Files.readAllBytes(file));
    }

    private void refused(String cause) {
        Failure given = assertThrows(Failure.class, this::attach);
        assertEquals(Failure.BAD_ARGUMENT, given.status());
        assertEquals("--ring " + file + ": " + cause, given.getMessage());
    }

    @Test
    void aFileThatIsNoRingIsRefused() throws IOException {
        Files.write(file, new byte[0]);
        refused("not a ring of this format: 0 bytes long, its header alone has 4,096");
        Files.write(file, new byte[8192]);
        refused("not a ring of this format (magic 0x0000000000000000)");
        Files.delete(file);
        refused("cannot be opened: No such file or directory");
        Files.createDirectory(file);
        refused("cannot be opened: Is a directory");
    }

    @Test
    void aHeaderThatIsWrongIsRefused() {
        Memory.Shared memory = attach().memory;
        memory.putInt(8, 7);
        refused("version 7, this program knows 1");
        memory.putInt(8, 1);
        memory.putInt(12, 128);
        refused("a header of 128 bytes, version 1 has 4096");
        memory.putInt(12, 4096);
        memory.putLong(16, 1000);
        refused("capacity 1000 is not a power of two");
        memory.putLong(16, 2048);
        refused("capacity 2048 is not from 4096 to 1073741824");
        memory.putLong(16, 8192);
        refused("capacity 8192 and a length of 8,192: they do not agree");
        memory.putLong(24, 12288);
        refused("8,192 bytes long, its header says 12,288: truncated");
        memory.putLong(16, 4096);
        memory.putLong(24, 8192);
        memory.putLong(Ring.HEAD_AT, 128);
        memory.putLong(Ring.TAIL_AT, 64);
        refused("head 128 is beyond tail 64");
        memory.putLong(Ring.TAIL_AT, 68);
        refused("head 128 and tail 68, where no record can begin: give a ring that nothing else wrote to");
        memory.putLong(Ring.TAIL_AT, 128 + CAPACITY + 8);
        refused("tail 4232 is further from head 128 than its capacity");
    }

    @Test
    void aFileThatHasGrownIsRefused() throws IOException {
        Files.write(file, new byte[8], StandardOpenOption.APPEND);
        refused("8,200 bytes long, its header says 8,192: grown");
    }

    @Test
    void aLengthThatIsNoneEndsTheConsumer() {
        Ring ring = attach();
        for (int length : new int[] {505, -8, Integer.MIN_VALUE}) {
            ring.memory.putInt(Ring.HEADER, length);
            Failure given = assertThrows(Failure.class, () -> new Ring.Consumer(ring).poll());
            assertEquals(Failure.CHECK_FAILED, given.status());
            assertTrue(given.getMessage().startsWith("the ring holds " + length + " at position 0"));
        }
    }
}
