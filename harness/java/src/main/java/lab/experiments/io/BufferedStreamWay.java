package lab.experiments.io;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Buffered streams, one call per byte, with a buffer of a block. Opening the output truncates the file, so that it
 * always grows. The buffer is written when the byte after it arrives: a value contains the system call for the block
 * before.
 */
final class BufferedStreamWay extends Way {
    private final String path;

    BufferedStreamWay(String path, int blockSize, boolean each) {
        super(blockSize, each);
        this.path = path;
    }

    @Override
    long write(Stretch stretch) throws IOException {
        byte[] block = this.block;
        long[] samples = stretch.samples;
        long sum = 0;
        try (OutputStream file = new BufferedOutputStream(new FileOutputStream(path), block.length)) {
            for (int slice = 0; slice < stretch.slices(); slice++) {
                long before = stretch.begin(slice);
                int last = stretch.first(slice + 1);
                for (int b = stretch.first(slice); b < last; b++) {
                    if (each) {
                        int position = b * block.length;
                        for (int i = 0; i < block.length; i++) {
                            byte value = (byte) (position + i);
                            file.write(value);
                            sum += value & 0xff;
                        }
                    } else {
                        file.write(block);
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
        long[] samples = stretch.samples;
        long sum = 0;
        try (InputStream file = new BufferedInputStream(new FileInputStream(path), block.length)) {
            for (int slice = 0; slice < stretch.slices(); slice++) {
                long before = stretch.begin(slice);
                int last = stretch.first(slice + 1);
                for (int b = stretch.first(slice); b < last; b++) {
                    if (each) {
                        for (int i = 0; i < block.length; i++) {
                            sum += file.read();
                        }
                    } else {
                        file.readNBytes(block, 0, block.length);
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
