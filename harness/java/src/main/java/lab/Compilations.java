package lab;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * What this virtual machine has compiled so far, by its own counters. HotSpot keeps them in a file that it has mapped
 * (the format that {@code jstat} reads); mapping the same page makes reading them two loads, which disturb nothing and
 * start no compilation, where a log writes a line for each and flight recording runs beside what is measured. A counter
 * moves when a compilation has ended, whether its code was kept or not.
 *
 * <p>Where the file is not to be seen, as with {@code -XX:-UsePerfData}, nothing is known.
 */
public class Compilations {
    /** Of a virtual machine whose counters nobody can see. */
    static final Compilations UNKNOWN = new Compilations(ByteBuffer.allocate(0));

    /** Calls after which what reads the counters is compiled, and so is not in an iteration. */
    private static final int UNTIL_COMPILED = 20_000;

    private static final String COUNT = "sun.ci.totalCompiles";
    private static final String NANOS = "java.ci.totalTime";
    private static final String LAST = "sun.ci.lastMethod";

    /** Of the file: big-endian whatever the rest is. */
    private static final int MAGIC = 0xcafec0c0;

    private static final int ORDER_AT = 4;
    private static final int FIRST_AT = 24;
    private static final int ENTRIES_AT = 28;
    /** Of an entry: its length, then where in it the name and the value are. */
    private static final int NAME_AT = 4;

    private static final int VALUE_AT = 16;

    private final ByteBuffer counters;
    /** The file as it was when this was made: what stands in it does not move. */
    private final byte[] made;

    private final int count;
    private final int nanos;
    private final int last;

    /** Those of the virtual machine that runs this. */
    static Compilations ofThisProcess() {
        Path file = Path.of(
                "/tmp",
                "hsperfdata_" + System.getProperty("user.name"),
                Long.toString(ProcessHandle.current().pid()));
        try (FileChannel channel = FileChannel.open(file)) {
            Compilations found = new Compilations(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
            for (int i = 0; i < UNTIL_COMPILED; i++) {
                found.count();
            }
            return found;
        } catch (IOException unseen) {
            return UNKNOWN;
        }
    }

    /** @param file the whole of it; of anything but HotSpot's counters nothing is known */
    Compilations(ByteBuffer file) {
        boolean counted = file.capacity() > ENTRIES_AT && file.getInt(0) == MAGIC;
        counters = counted && file.get(ORDER_AT) != 0 ? file.order(ByteOrder.LITTLE_ENDIAN) : file;
        made = new byte[counters.capacity()];
        counters.get(0, made);
        count = counted ? find(COUNT) : 0;
        nanos = counted ? find(NANOS) : 0;
        last = counted ? find(LAST) : 0;
    }

    private int find(String name) {
        int entry = counters.getInt(FIRST_AT);
        for (int i = 0; i < counters.getInt(ENTRIES_AT); i++) {
            if (text(made, entry + counters.getInt(entry + NAME_AT)).equals(name)) {
                return entry + counters.getInt(entry + VALUE_AT);
            }
            entry += counters.getInt(entry);
        }
        return 0;
    }

    private static String text(byte[] bytes, int from) {
        int to = from;
        while (to < bytes.length && bytes[to] != 0) {
            to++;
        }
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }

    /** Whether the numbers below mean anything. */
    boolean known() {
        return count != 0 && nanos != 0;
    }

    /** How many have ended since the virtual machine began; 0 where nothing is known. */
    long count() {
        return known() ? counters.getLong(count) : 0;
    }

    /** How long they took together, in nanoseconds, waits for a CPU included. */
    long nanos() {
        return known() ? counters.getLong(nanos) : 0;
    }

    /** The method that was compiled last, as {@code lab.experiments.ipc.Paced::paced}; empty where it is not told. */
    String last() {
        if (last == 0) {
            return "";
        }
        byte[] now = new byte[counters.capacity()];
        counters.get(0, now);
        return text(now, last).replace('/', '.').replace(" ", "::");
    }
}
