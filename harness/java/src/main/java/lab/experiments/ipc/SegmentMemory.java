package lab.experiments.ipc;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import lab.ForeignMemory;

/** A mapped memory segment of JDK 22 and later by VarHandles, see {@link ForeignMemory}. */
final class SegmentMemory extends Memory.Shared {
    private static final VarHandle INTS;
    private static final VarHandle LONGS;
    /** For good, as long as the process: an arena that can be closed is asked at each access whether it is. */
    private static final Object ARENA;

    static {
        try {
            INTS = ForeignMemory.access("JAVA_INT");
            LONGS = ForeignMemory.access("JAVA_LONG");
            ARENA = ForeignMemory.arena("global");
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Object segment;

    private SegmentMemory(Object segment) {
        this.segment = segment;
    }

    /** A {@link Memory.Shared.Mapping}. */
    static SegmentMemory map(FileChannel file, long bytes) throws IOException {
        Object segment = ForeignMemory.map(file, MapMode.READ_WRITE, bytes, ARENA);
        try {
            ForeignMemory.type("MemorySegment").getMethod("load").invoke(segment);
        } catch (ReflectiveOperationException e) {
            throw ForeignMemory.unexpected(e);
        }
        return new SegmentMemory(segment);
    }

    @Override
    int getInt(int at) {
        return (int) INTS.get(segment, (long) at);
    }

    @Override
    void putInt(int at, int value) {
        INTS.set(segment, (long) at, value);
    }

    @Override
    int getIntAcquire(int at) {
        return (int) INTS.getAcquire(segment, (long) at);
    }

    @Override
    void putIntRelease(int at, int value) {
        INTS.setRelease(segment, (long) at, value);
    }

    @Override
    long getLong(int at) {
        return (long) LONGS.get(segment, (long) at);
    }

    @Override
    void putLong(int at, long value) {
        LONGS.set(segment, (long) at, value);
    }

    @Override
    long getLongAcquire(int at) {
        return (long) LONGS.getAcquire(segment, (long) at);
    }

    @Override
    void putLongRelease(int at, long value) {
        LONGS.setRelease(segment, (long) at, value);
    }

    @Override
    long getLongOpaque(int at) {
        return (long) LONGS.getOpaque(segment, (long) at);
    }

    @Override
    void putLongOpaque(int at, long value) {
        LONGS.setOpaque(segment, (long) at, value);
    }
}
