package lab.experiments.io;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * Memory segments of JDK 22 and later by method handles, since these classes are also compiled by JDK 17. The handles
 * are constants and called by {@code invokeExact}, so the compiler inlines them as it would the direct calls; only a
 * cast to the segment's type is added, which does not change and leaves the loop.
 */
final class Segments {
    private static final MethodHandle MAP;
    private static final MethodHandle ARENA;
    private static final MethodHandle PUT;
    private static final MethodHandle GET;
    private static final MethodHandle PUT_BLOCK;
    private static final MethodHandle GET_BLOCK;

    static {
        try {
            Lookup lookup = MethodHandles.publicLookup();
            Class<?> arena = Class.forName("java.lang.foreign.Arena");
            Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
            Class<?> layouts = Class.forName("java.lang.foreign.ValueLayout");
            Object bytes = layouts.getField("JAVA_BYTE").get(null);
            VarHandle access = (VarHandle) layouts.getMethod("varHandle").invoke(bytes);
            MAP = lookup.findVirtual(
                            FileChannel.class,
                            "map",
                            MethodType.methodType(segment, MapMode.class, long.class, long.class, arena))
                    .asType(MethodType.methodType(
                            Object.class, FileChannel.class, MapMode.class, long.class, long.class, Object.class));
            ARENA = lookup.findStatic(arena, "ofConfined", MethodType.methodType(arena))
                    .asType(MethodType.methodType(AutoCloseable.class));
            PUT = access.toMethodHandle(VarHandle.AccessMode.SET)
                    .asType(MethodType.methodType(void.class, Object.class, long.class, byte.class));
            GET = access.toMethodHandle(VarHandle.AccessMode.GET)
                    .asType(MethodType.methodType(byte.class, Object.class, long.class));
            // copy(byte[] from, int index, MemorySegment to, ValueLayout, long offset, int count) and back.
            Class<?>[] put = {Object.class, int.class, segment, layouts, long.class, int.class};
            Class<?>[] get = {segment, layouts, long.class, Object.class, int.class, int.class};
            MethodHandle putBlock = lookup.findStatic(segment, "copy", MethodType.methodType(void.class, put));
            MethodHandle getBlock = lookup.findStatic(segment, "copy", MethodType.methodType(void.class, get));
            PUT_BLOCK = MethodHandles.insertArguments(putBlock, 3, bytes)
                    .asType(MethodType.methodType(
                            void.class, Object.class, int.class, Object.class, long.class, int.class));
            GET_BLOCK = MethodHandles.insertArguments(getBlock, 1, bytes)
                    .asType(MethodType.methodType(
                            void.class, Object.class, long.class, Object.class, int.class, int.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Segments() {}

    /** A whole file mapped into memory, for the thread that maps it, until closed. */
    static final class Mapped implements AutoCloseable {
        final Object segment;
        private final AutoCloseable arena;

        Mapped(FileChannel file, MapMode mode, long bytes) throws IOException {
            try {
                arena = (AutoCloseable) ARENA.invokeExact();
                segment = MAP.invokeExact(file, mode, 0L, bytes, (Object) arena);
            } catch (IOException | RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            try {
                arena.close();
            } catch (Exception e) {
                throw new IllegalStateException("cannot unmap a segment", e);
            }
        }
    }

    static void put(Object segment, long offset, byte value) {
        try {
            PUT.invokeExact(segment, offset, value);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static byte get(Object segment, long offset) {
        try {
            return (byte) GET.invokeExact(segment, offset);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static void put(Object segment, long offset, byte[] block) {
        try {
            PUT_BLOCK.invokeExact((Object) block, 0, segment, offset, block.length);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static void get(Object segment, long offset, byte[] block) {
        try {
            GET_BLOCK.invokeExact(segment, offset, (Object) block, 0, block.length);
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
