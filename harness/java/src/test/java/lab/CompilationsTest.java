package lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The counters of a virtual machine, of one made up and of this one. */
class CompilationsTest {
    private static final int HEAD = 32;
    private static final int ENTRY = 80;
    private static final int VALUE = 60;

    /** A file of so many entries of 80 bytes: name at 20, value at 60. */
    private static ByteBuffer file(ByteOrder order, String... names) {
        ByteBuffer file = ByteBuffer.allocate(HEAD + names.length * ENTRY);
        file.putInt(0, 0xcafec0c0);
        file.put(4, (byte) (order == ByteOrder.LITTLE_ENDIAN ? 1 : 0));
        file.order(order).putInt(24, HEAD).putInt(28, names.length);
        for (int i = 0; i < names.length; i++) {
            int entry = HEAD + i * ENTRY;
            file.putInt(entry, ENTRY).putInt(entry + 4, 20).putInt(entry + 16, VALUE);
            file.put(entry + 20, names[i].getBytes(StandardCharsets.US_ASCII));
        }
        return file;
    }

    private static ByteBuffer counters(ByteOrder order) {
        return file(
                order, "sun.ci.totalCompilesOther", "sun.ci.totalCompiles", "java.ci.totalTime", "sun.ci.lastMethod");
    }

    @Test
    void countersAreReadWhereTheyLieInTheOrderOfTheFile() {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
            ByteBuffer file = counters(order);
            file.put(HEAD + 3 * ENTRY + VALUE, "lab/Kernel run".getBytes(StandardCharsets.US_ASCII));
            Compilations compilations = new Compilations(file.duplicate());
            assertTrue(compilations.known());
            file.order(order).putLong(HEAD + ENTRY + VALUE, 7).putLong(HEAD + 2 * ENTRY + VALUE, 1_500);
            assertEquals(7, compilations.count());
            assertEquals(1_500, compilations.nanos());
            assertEquals("lab.Kernel::run", compilations.last());
        }
    }

    @Test
    void ofAnythingElseNothingIsKnown() {
        ByteBuffer other = counters(ByteOrder.LITTLE_ENDIAN).putInt(0, 1);
        for (ByteBuffer file :
                new ByteBuffer[] {other, ByteBuffer.allocate(0), file(ByteOrder.LITTLE_ENDIAN, "sun.ci.totalCompiles")
                }) {
            Compilations compilations = new Compilations(file);
            assertFalse(compilations.known());
            assertEquals(0, compilations.count());
            assertEquals(0, compilations.nanos());
            assertEquals("", compilations.last());
        }
    }

    @Test
    void thisVirtualMachineCountsWhatItCompiles() {
        Compilations compilations = Compilations.ofThisProcess();
        assertTrue(compilations.known());
        assertTrue(compilations.count() > 0);
        assertTrue(compilations.nanos() > 0);
        assertTrue(compilations.last().contains("::"), compilations.last());
    }
}
