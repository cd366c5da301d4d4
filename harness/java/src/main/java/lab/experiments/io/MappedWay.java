package lab.experiments.io;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * {@link MappedByteBuffer}, byte by byte, in pieces of at most 1 GiB. The file is mapped anew for each direction, and
 * unmapped by hand: a mapping that waits for the collector would be paid for by a later pass.
 */
final class MappedWay extends Way {
    private static final long PIECE = 1 << 30;

    private final Path path;
    private final long fileSize;
    private final Cleaner cleaner = new Cleaner();

    MappedWay(String path, int blockSize, boolean each, long fileSize) {
        super(blockSize, each);
        this.path = Path.of(path);
        this.fileSize = fileSize;
    }

    @Override
    long write(Stretch stretch) throws IOException {
        byte[] block = this.block;
        int size = block.length;
        MappedByteBuffer piece = null;
        long[] samples = stretch.samples;
        long sum = 0;
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int slice = 0; slice < stretch.slices(); slice++) {
                long before = stretch.begin(slice);
                int last = stretch.first(slice + 1);
                for (int b = stretch.first(slice); b < last; b++) {
                    if (piece == null || !piece.hasRemaining()) {
                        piece = next(file, MapMode.READ_WRITE, (long) b * size, piece);
                    }
                    if (each) {
                        int position = b * size;
                        for (int i = 0; i < size; i++) {
                            byte value = (byte) (position + i);
                            piece.put(value);
                            sum += value & 0xff;
                        }
                    } else {
                        piece.put(block);
                    }
                    long now = System.nanoTime();
                    samples[b] = now - before;
                    before = now;
                }
                stretch.end(slice, before);
            }
            cleaner.unmap(piece);
        }
        return sum;
    }

    @Override
    long read(Stretch stretch) throws IOException {
        byte[] block = this.block;
        int size = block.length;
        MappedByteBuffer piece = null;
        long[] samples = stretch.samples;
        long sum = 0;
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            for (int slice = 0; slice < stretch.slices(); slice++) {
                long before = stretch.begin(slice);
                int last = stretch.first(slice + 1);
                for (int b = stretch.first(slice); b < last; b++) {
                    if (piece == null || !piece.hasRemaining()) {
                        piece = next(file, MapMode.READ_ONLY, (long) b * size, piece);
                    }
                    if (each) {
                        for (int i = 0; i < size; i++) {
                            sum += piece.get() & 0xff;
                        }
                    } else {
                        piece.get(block);
                    }
                    long now = System.nanoTime();
                    samples[b] = now - before;
                    before = now;
                }
                stretch.end(slice, before);
            }
            cleaner.unmap(piece);
        }
        return sum;
    }

    private MappedByteBuffer next(FileChannel file, MapMode mode, long position, MappedByteBuffer before)
            throws IOException {
        if (before != null) {
            cleaner.unmap(before);
        }
        return file.map(mode, position, Math.min(PIECE, fileSize - position));
    }

    /** The one way to unmap a buffer at a known time that all JDKs from 17 on have. */
    private static final class Cleaner {
        private final Object unsafe;
        private final Method invokeCleaner;

        Cleaner() {
            try {
                Class<?> type = Class.forName("sun.misc.Unsafe");
                Field instance = type.getDeclaredField("theUnsafe");
                instance.setAccessible(true);
                unsafe = instance.get(null);
                invokeCleaner = type.getMethod("invokeCleaner", ByteBuffer.class);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("this runtime cannot unmap a buffer", e);
            }
        }

        void unmap(MappedByteBuffer buffer) {
            try {
                invokeCleaner.invoke(unsafe, buffer);
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IllegalStateException("cannot unmap a buffer", e);
            }
        }
    }
}
