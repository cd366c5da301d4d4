package lab.experiments.ipc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import lab.Failure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every byte of a message is written and read, and what is not as it was sent is found. */
class MessageTest {
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(2048).order(ByteOrder.nativeOrder());
    private final Memory memory = new BufferMemory(bytes);

    @TempDir
    Path folder;

    private List<Boolean> checks(Incoming in, long received) {
        return Checks.of(folder, trial -> in.check(trial.recorder(), received));
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 68, 100, 252, 1020})
    void aMessageHasItsLayout(int size) {
        Outgoing out = new Outgoing(size);
        out.write(memory, 4, Message.ONE, 77);
        out.write(memory, 4, Message.ONE, 78);
        assertEquals(Message.ONE, bytes.getInt(4));
        assertEquals(2, bytes.getLong(8));
        assertEquals(78, bytes.getLong(16));
        long sum = 0;
        for (int i = 0; i < (size - 20) / 8; i++) {
            assertEquals(2 * (3 + 2 * (i % 5)), bytes.getLong(24 + 8 * i));
            sum += bytes.getLong(24 + 8 * i) * 3 / 2; // of both messages
        }
        assertEquals(0, bytes.getLong(4 + size));
        out.write(memory, 4, Message.LAST, 0);
        assertEquals(sum + 1 + 2 + 77 + 78, bytes.getLong(16));
    }

    @Test
    void aSmallMessageHasItsLayout() {
        Outgoing out = new Outgoing(16);
        out.write(memory, 4, Message.ONE, 0);
        out.write(memory, 4, Message.ONE, 0);
        assertEquals(2, bytes.getLong(8));
        assertEquals(0, bytes.getInt(16));
        out.write(memory, 4, Message.LAST, 0);
        assertEquals(3, bytes.getInt(16));
        assertEquals(0, bytes.getInt(20));
    }

    @Test
    void sizesAreOnesOfWholeWords() {
        List<Integer> possible = new ArrayList<>();
        for (int size = 0; size < 80; size++) {
            if (Message.possible(size)) {
                possible.add(size);
            }
        }
        assertEquals(List.of(16, 60, 68, 76), possible);
    }

    /** Three messages and the last, twice; the change comes before the fifth of them. */
    private Incoming received(int size, IntConsumer change) {
        Outgoing out = new Outgoing(size);
        Incoming in = new Incoming(size, null);
        for (int i = 1; i <= 8; i++) {
            out.write(memory, 4, i % 4 == 0 ? Message.LAST : Message.ONE, 0);
            if (i == 5) {
                change.accept(i);
            }
            in.take(memory, 4, size);
        }
        assertTrue(in.last());
        return in;
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 60, 68, 252})
    void whatWasSentPasses(int size) {
        assertFalse(checks(received(size, i -> {}), 8).contains(false));
    }

    /** The kind is not part of the sum, but of what a message is. */
    @ParameterizedTest
    @ValueSource(ints = {16, 60, 68, 252})
    void aByteThatIsAnotherFails(int size) {
        for (int at = 0; at < size; at++) {
            int byteAt = 4 + at;
            Incoming in = received(size, i -> bytes.put(byteAt, (byte) (bytes.get(byteAt) ^ 4)));
            assertTrue(checks(in, 8).contains(false), "byte " + at);
        }
    }

    @Test
    void aMessageThatIsLostOrRepeatedFails() {
        for (int times : new int[] {0, 2}) {
            Outgoing out = new Outgoing(60);
            Incoming in = new Incoming(60, null);
            int received = 0;
            for (int i = 1; i <= 4; i++) {
                out.write(memory, 4, i == 4 ? Message.LAST : Message.ONE, 0);
                for (int n = 0; n < (i == 2 ? times : 1); n++) {
                    in.take(memory, 4, 60);
                    received++;
                }
            }
            assertEquals(List.of(false, false, false), checks(in, received));
        }
    }

    @Test
    void aMessageOfAnotherSizeIsTold() {
        Failure given = assertThrows(Failure.class, () -> new Incoming(60, null).take(memory, 4, 68));
        assertEquals("a message of 68 bytes came; give both parts --size 60", given.getMessage());
    }

    @Test
    void timeDoesNotRunBackward() {
        for (long ahead : new long[] {-1000, 3_600_000_000_000L}) {
            List<Boolean> passed = Checks.of(folder, trial -> {
                Incoming in = new Incoming(60, trial.recorder().series("s"));
                Outgoing out = new Outgoing(60);
                out.write(memory, 4, Message.ONE, System.nanoTime() + ahead);
                long before = System.nanoTime();
                assertEquals(ahead < 0, in.take(memory, 4, 60));
                assertTrue(in.sampledAt() >= before && in.sampledAt() <= System.nanoTime());
                assertEquals(ahead < 0, in.sampledFrom() < before);
                out.write(memory, 4, Message.LAST, 0);
                assertFalse(in.take(memory, 4, 60));
                in.check(trial.recorder(), 2);
            });
            assertEquals(List.of(true, true, true, ahead < 0), passed);
        }
    }

    /** A ring that makes the length visible before the payload: what is read then is not what was sent. */
    @Test
    void aBrokenRingFails() {
        ByteBuffer shared = ByteBuffer.allocateDirect(Ring.HEADER + 4096);
        Ring ring = new Ring(new BufferMemory(shared), 4096);
        Ring.Producer producer = new Ring.Producer(ring);
        Ring.Consumer consumer = new Ring.Consumer(ring);
        Outgoing out = new Outgoing(60);
        Incoming in = new Incoming(60, null);
        for (int i = 1; i <= 200; i++) {
            boolean early = i == 150;
            int to = producer.claim(60);
            if (early) {
                producer.commit();
                in.take(ring.memory, consumer.poll(), 60);
            }
            out.write(ring.memory, to, i == 200 ? Message.LAST : Message.ONE, 0);
            if (!early) {
                producer.commit();
                in.take(ring.memory, consumer.poll(), 60);
            }
            consumer.release();
        }
        List<Boolean> passed = checks(in, 200);
        assertEquals(List.of(true, false, false), passed);
        assertNotEquals(0, in.sequence());
    }
}
