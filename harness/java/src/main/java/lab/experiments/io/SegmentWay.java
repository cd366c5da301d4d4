package lab.experiments.io;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import lab.ForeignMemory;

/** A mapped memory segment, byte by byte: one mapping whatever the size, and unmapped when its arena closes. */
final class SegmentWay extends Way {
    private final Path path;
    private final long fileSize;

    SegmentWay(String path, int blockSize, boolean each, long fileSize) {
        super(blockSize, each);
        this.path = Path.of(path);
        this.fileSize = fileSize;
    }

    @Override
    long write(Stretch stretch) throws IOException {
        byte[] block = this.block;
        int size = block.length;
        long[] samples = stretch.samples;
        long sum = 0;
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                Segments.Mapped mapped = new Segments.Mapped(file, MapMode.READ_WRITE, fileSize)) {
            Object segment = mapped.segment;
            for (int slice = 0; slice < stretch.slices(); slice++) {
                long before = stretch.begin(slice);
                int last = stretch.first(slice + 1);
                for (int b = stretch.first(slice); b < last; b++) {
                    long position = (long) b * size;
                    if (each) {
                        for (int i = 0; i < size; i++) {
                            byte value = (byte) (position + i);
                            Segments.put(segment, position + i, value);
                            sum += value & 0xff;
                        }
                    } else {
                        Segments.put(segment, position, block);
                    }
                    long now = System.nanoTime();
                    samples[b] = now - before;
                    before = now;
                }
                stretch.end(slice, before);
            }
        }
        return sum;
    }

    @Override
    long read(Stretch stretch) throws IOException {
        byte[] block = this.block;
        int size = block.length;
        long[] samples = stretch.samples;
        long sum = 0;
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
                Segments.Mapped mapped = new Segments.Mapped(file, MapMode.READ_ONLY, fileSize)) {
            Object segment = mapped.segment;
            for (int slice = 0; slice < stretch.slices(); slice++) {
                long before = stretch.begin(slice);
                int last = stretch.first(slice + 1);
                for (int b = stretch.first(slice); b < last; b++) {
                    long position = (long) b * size;
                    if (each) {
                        for (int i = 0; i < size; i++) {
                            sum += Segments.get(segment, position + i) & 0xff;
                        }
                    } else {
                        Segments.get(segment, position, block);
                    }
                    long now = System.nanoTime();
                    samples[b] = now - before;
                    before = now;
                }
                stretch.end(slice, before);
            }
        }
        return sum;
    }

    /**
     * Memory segments of JDK 22 and later, see {@link ForeignMemory}. The handles are constants and called by
     * {@code invokeExact}, so the compiler inlines them as it would the direct calls; only a cast to the segment's type
     * is added, which does not change and leaves the loop.
     */
    static final class Segments {
        private static final MethodHandle PUT;
        private static final MethodHandle GET;
        private static final MethodHandle PUT_BLOCK;
        private static final MethodHandle GET_BLOCK;

        static {
            try {
                Lookup lookup = MethodHandles.publicLookup();
                Class<?> segment = ForeignMemory.type("MemorySegment");
                Class<?> layouts = ForeignMemory.type("ValueLayout");
                Object bytes = ForeignMemory.layout("JAVA_BYTE");
                // By method handles: a loop that reads by ForeignMemory.access takes a third longer.
                VarHandle access = (VarHandle) layouts.getMethod("varHandle").invoke(bytes);
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
                    arena = (AutoCloseable) ForeignMemory.arena("ofConfined");
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                }
                segment = ForeignMemory.map(file, mode, bytes, arena);
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
                throw ForeignMemory.unexpected(e);
            }
        }

        static byte get(Object segment, long offset) {
            try {
                return (byte) GET.invokeExact(segment, offset);
            } catch (Throwable e) {
                throw ForeignMemory.unexpected(e);
            }
        }

        static void put(Object segment, long offset, byte[] block) {
            try {
                PUT_BLOCK.invokeExact((Object) block, 0, segment, offset, block.length);
            } catch (Throwable e) {
                throw ForeignMemory.unexpected(e);
            }
        }

        static void get(Object segment, long offset, byte[] block) {
            try {
                GET_BLOCK.invokeExact(segment, offset, (Object) block, 0, block.length);
            } catch (Throwable e) {
                throw ForeignMemory.unexpected(e);
            }
        }
    }
}
