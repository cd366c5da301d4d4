package lab.experiments.io;

import java.io.IOException;
import java.io.RandomAccessFile;

/** {@link RandomAccessFile} and an array of a block. */
final class RandomAccessFileWay extends Way {
    private final String path;

    RandomAccessFileWay(String path, int blockSize, boolean each) {
        super(blockSize, each);
        this.path = path;
    }

    @Override
    long write(Stretch stretch) throws IOException {
        byte[] block = this.block;
        long[] samples = stretch.samples;
        long sum = 0;
        try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
            for (int slice = 0; slice < stretch.slices(); slice++) {
                long before = stretch.begin(slice);
                int last = stretch.first(slice + 1);
                for (int b = stretch.first(slice); b < last; b++) {
                    if (each) {
                        int position = b * block.length;
                        for (int i = 0; i < block.length; i++) {
                            byte value = (byte) (position + i);
                            block[i] = value;
                            sum += value & 0xff;
                        }
                    }
                    file.write(block);
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
        long[] samples = stretch.samples;
        long sum = 0;
        try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
            for (int slice = 0; slice < stretch.slices(); slice++) {
                long before = stretch.begin(slice);
                int last = stretch.first(slice + 1);
                for (int b = stretch.first(slice); b < last; b++) {
                    file.readFully(block);
                    if (each) {
                        for (int i = 0; i < block.length; i++) {
                            sum += block[i] & 0xff;
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
