package lab.experiments.io;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

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
}
