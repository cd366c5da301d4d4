package lab.experiments.io;

/** No file: what producing and summing the bytes costs alone. */
final class CpuLoopWay extends Way {
    CpuLoopWay(int blockSize) {
        super(blockSize, true);
    }

    @Override
    long write(Stretch stretch) {
        byte[] block = this.block;
        long[] samples = stretch.samples;
        long sum = 0;
        for (int slice = 0; slice < stretch.slices(); slice++) {
            long before = stretch.begin(slice);
            int last = stretch.first(slice + 1);
            for (int b = stretch.first(slice); b < last; b++) {
                int position = b * block.length;
                for (int i = 0; i < block.length; i++) {
                    byte value = (byte) (position + i);
                    block[i] = value;
                    sum += value & 0xff;
                }
                long now = System.nanoTime();
                samples[b] = now - before;
                before = now;
            }
            stretch.end(slice, before);
        }
        return sum;
    }

    @Override
    long read(Stretch stretch) {
        byte[] block = this.block;
        long[] samples = stretch.samples;
        long sum = 0;
        for (int slice = 0; slice < stretch.slices(); slice++) {
            long before = stretch.begin(slice);
            int last = stretch.first(slice + 1);
            for (int b = stretch.first(slice); b < last; b++) {
                for (int i = 0; i < block.length; i++) {
                    sum += block[i] & 0xff;
                }
                long now = System.nanoTime();
                samples[b] = now - before;
                before = now;
            }
            stretch.end(slice, before);
        }
        return sum;
    }
}
