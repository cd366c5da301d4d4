package lab.experiments.ipc;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.invoke.VarHandle.AccessMode;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * A mapped memory segment of JDK 22 and later, by method handles, since this class is also compiled by JDK 17. The
 * handles are constants and called by {@code invokeExact}, so the compiler inlines them as it would the VarHandles
 * behind them; only a cast to the segment's type is added.
 */
final class SegmentMemory extends SharedMemory {
    private static final MethodHandle MAP;
    private static final Object ARENA;
    private static final MethodHandle LOAD;
    private static final MethodHandle GET_BYTE;
    private static final MethodHandle PUT_BYTE;
    private static final MethodHandle GET_INT;
    private static final MethodHandle PUT_INT;
    private static final MethodHandle GET_INT_ACQUIRE;
    private static final MethodHandle PUT_INT_RELEASE;
    private static final MethodHandle GET_LONG;
    private static final MethodHandle PUT_LONG;
    private static final MethodHandle GET_LONG_ACQUIRE;
    private static final MethodHandle PUT_LONG_RELEASE;
    private static final MethodHandle GET_LONG_OPAQUE;
    private static final MethodHandle PUT_LONG_OPAQUE;

    static {
        try {
            Lookup lookup = MethodHandles.publicLookup();
            Class<?> arena = Class.forName("java.lang.foreign.Arena");
            Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
            // For good, as long as the process: an arena that can be closed is asked at each access whether it is.
            ARENA = arena.getMethod("global").invoke(null);
            MAP = lookup.findVirtual(
                            FileChannel.class,
                            "map",
                            MethodType.methodType(segment, MapMode.class, long.class, long.class, arena))
                    .asType(MethodType.methodType(
                            Object.class, FileChannel.class, MapMode.class, long.class, long.class, Object.class));
            LOAD = lookup.findVirtual(segment, "load", MethodType.methodType(void.class))
                    .asType(MethodType.methodType(void.class, Object.class));
            GET_BYTE = get("JAVA_BYTE", AccessMode.GET, byte.class);
            PUT_BYTE = put("JAVA_BYTE", AccessMode.SET, byte.class);
            GET_INT = get("JAVA_INT", AccessMode.GET, int.class);
            PUT_INT = put("JAVA_INT", AccessMode.SET, int.class);
            GET_INT_ACQUIRE = get("JAVA_INT", AccessMode.GET_ACQUIRE, int.class);
            PUT_INT_RELEASE = put("JAVA_INT", AccessMode.SET_RELEASE, int.class);
            GET_LONG = get("JAVA_LONG", AccessMode.GET, long.class);
            PUT_LONG = put("JAVA_LONG", AccessMode.SET, long.class);
            GET_LONG_ACQUIRE = get("JAVA_LONG", AccessMode.GET_ACQUIRE, long.class);
            PUT_LONG_RELEASE = put("JAVA_LONG", AccessMode.SET_RELEASE, long.class);
            GET_LONG_OPAQUE = get("JAVA_LONG", AccessMode.GET_OPAQUE, long.class);
            PUT_LONG_OPAQUE = put("JAVA_LONG", AccessMode.SET_OPAQUE, long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Object segment;

    private SegmentMemory(Object segment) {
        this.segment = segment;
    }

    private static MethodHandle handle(String layout, AccessMode mode) throws ReflectiveOperationException {
        Class<?> layouts = Class.forName("java.lang.foreign.ValueLayout");
        Object value = layouts.getField(layout).get(null);
        VarHandle access = (VarHandle) layouts.getMethod("varHandle").invoke(value);
        return access.toMethodHandle(mode);
    }

    private static MethodHandle get(String layout, AccessMode mode, Class<?> type) throws ReflectiveOperationException {
        return handle(layout, mode).asType(MethodType.methodType(type, Object.class, long.class));
    }

    private static MethodHandle put(String layout, AccessMode mode, Class<?> type) throws ReflectiveOperationException {
        return handle(layout, mode).asType(MethodType.methodType(void.class, Object.class, long.class, type));
    }

    /** A {@link SharedMemory.Mapping}. */
    static SegmentMemory map(FileChannel file, long bytes) throws IOException {
        try {
            Object segment = MAP.invokeExact(file, MapMode.READ_WRITE, 0L, bytes, ARENA);
            LOAD.invokeExact(segment);
            return new SegmentMemory(segment);
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    byte getByte(int at) {
        try {
            return (byte) GET_BYTE.invokeExact(segment, (long) at);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    void putByte(int at, byte value) {
        try {
            PUT_BYTE.invokeExact(segment, (long) at, value);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    int getInt(int at) {
        try {
            return (int) GET_INT.invokeExact(segment, (long) at);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    void putInt(int at, int value) {
        try {
            PUT_INT.invokeExact(segment, (long) at, value);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    int getIntAcquire(int at) {
        try {
            return (int) GET_INT_ACQUIRE.invokeExact(segment, (long) at);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    void putIntRelease(int at, int value) {
        try {
            PUT_INT_RELEASE.invokeExact(segment, (long) at, value);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    long getLong(int at) {
        try {
            return (long) GET_LONG.invokeExact(segment, (long) at);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    void putLong(int at, long value) {
        try {
            PUT_LONG.invokeExact(segment, (long) at, value);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    long getLongAcquire(int at) {
        try {
            return (long) GET_LONG_ACQUIRE.invokeExact(segment, (long) at);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    void putLongRelease(int at, long value) {
        try {
            PUT_LONG_RELEASE.invokeExact(segment, (long) at, value);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    long getLongOpaque(int at) {
        try {
            return (long) GET_LONG_OPAQUE.invokeExact(segment, (long) at);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    @Override
    void putLongOpaque(int at, long value) {
        try {
            PUT_LONG_OPAQUE.invokeExact(segment, (long) at, value);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Access to memory declares no checked exception. */
    private static Error unexpected(Throwable e) {
        if (e instanceof RuntimeException) {
            throw (RuntimeException) e;
        }
        return e instanceof Error ? (Error) e : new AssertionError(e);
    }
}
