package lab.experiments.io;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * {@link FileChannel} and a buffer of a block. From a buffer on the heap the JDK copies every block into a direct one
 * that it keeps per thread.
 */
final class FileChannelWay extends Way {
    private final Path path;
    private final ByteBuffer buffer;

    FileChannelWay(String path, int blockSize, boolean each, boolean direct) {
        super(blockSize, each);
        this.path = Path.of(path);
        buffer = direct ? ByteBuffer.allocateDirect(blockSize) : ByteBuffer.allocate(blockSize);
        buffer.put(block);
    }

    @Override
    long write(Stretch stretch) throws IOException {
        ByteBuffer buffer = this.buffer;
        int size = block.length;
        long[] samples = stretch.samples;
        long sum = 0;
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            for (int slice = 0; slice < stretch.slices(); slice++) {
                long before = stretch.begin(slice);
                int last = stretch.first(slice + 1);
                for (int b = stretch.first(slice); b < last; b++) {
                    buffer.clear();
                    if (each) {
                        int position = b * size;
                        for (int i = 0; i < size; i++) {
                            byte value = (byte) (position + i);
                            buffer.put(value);
                            sum += value & 0xff;
                        }
                        buffer.flip();
                    }
                    do {
                        file.write(buffer);
                    } while (buffer.hasRemaining());
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
        ByteBuffer buffer = this.buffer;
        int size = block.length;
        long[] samples = stretch.samples;
        long sum = 0;
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            for (int slice = 0; slice < stretch.slices(); slice++) {
                long before = stretch.begin(slice);
                int last = stretch.first(slice + 1);
                for (int b = stretch.first(slice); b < last; b++) {
                    buffer.clear();
                    while (buffer.hasRemaining()) {
                        if (file.read(buffer) < 0) {
                            throw new EOFException("the file ended early");
                        }
                    }
                    if (each) {
                        buffer.flip();
                        for (int i = 0; i < size; i++) {
                            sum += buffer.get() & 0xff;
                        }
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
