package lab.experiments.io;

import lab.Recorder;
import lab.Series;
import lab.Worker;

/**
 * One direction of one pass on one stream: all blocks in order, cut into slices. Nothing is folded or written until the
 * stretch is over, so that the kernel gets no free time for its write-back. The clock is read once per block boundary:
 * the end of one block is the start of the next. What comes before the first block (opening, mapping) belongs to that
 * one, and what is left after the last (flushing, unmapping, closing) to the last.
 */
final class Stretch {
    /** Nanoseconds of each block; written by the way. */
    final long[] samples;

    private final Worker worker;
    private final int slices;
    private final long[] starts;
    private final long[] ends;

    Stretch(Worker worker, int blocks, int slices) {
        this.worker = worker;
        this.slices = slices;
        samples = new long[blocks];
        starts = new long[slices];
        ends = new long[slices];
    }

    int slices() {
        return slices;
    }

    /** The first block of a slice; sizes of slices differ by at most one block. */
    int first(int slice) {
        return (int) ((long) samples.length * slice / slices);
    }

    /** Begins the stretch with its iteration number; before anything is opened. */
    void start(int iteration) {
        worker.begin(iteration);
        starts[0] = System.nanoTime();
    }

    /** Begins a slice, all streams together: else a fast stream would run slices ahead. When it began. */
    long begin(int slice) {
        if (slice > 0) {
            worker.meet();
            starts[slice] = System.nanoTime();
        }
        return starts[slice];
    }

    /** Ends a slice where its last block ended. */
    void end(int slice, long now) {
        ends[slice] = now;
    }

    /** Ends the stretch, after everything is closed, and leaves a row per slice. */
    void finish(int iteration, String phase, Series series, Recorder recorder) {
        long now = System.nanoTime();
        samples[samples.length - 1] += now - ends[slices - 1];
        ends[slices - 1] = now;
        worker.end(samples.length, new Runnable() {
            @Override
            public void run() {
                for (int slice = 0; slice < slices; slice++) {
                    for (int block = first(slice); block < first(slice + 1); block++) {
                        series.add(samples[block]);
                    }
                    recorder.append(
                            series,
                            iteration + slice,
                            phase,
                            starts[slice],
                            ends[slice],
                            first(slice + 1) - first(slice));
                }
            }
        });
    }
}
