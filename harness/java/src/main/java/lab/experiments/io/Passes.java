package lab.experiments.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import lab.Failure;
import lab.ForeignMemory;
import lab.Parameters;
import lab.Recorder;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * Passes over one file per stream: all blocks written, made durable if {@code --sync} asks for it, all blocks read.
 * The streams begin every slice together. Preparing a file, and summing one that was not summed while it was read,
 * are not timed.
 */
final class Passes implements Workers.Body {
    /** The way of a variant, for a file that is opened by this path. */
    interface Ways {
        Way of(String variant, Parameters parameters, String path);
    }

    private final Trial trial;
    private final int passes;
    private final int slices;
    private final int blocks;
    private final long fileSize;
    private final boolean sync;
    private final Stream[] streams;

    private Passes(Trial trial, int blocks, Ways ways) throws IOException {
        this.trial = trial;
        this.blocks = blocks;
        passes = trial.parameters().getInt("passes");
        slices = trial.parameters().getInt("iterations");
        fileSize = trial.parameters().getLong("file-size");
        sync = trial.parameters().getString("sync").equals("fdatasync");
        streams = new Stream[trial.threads()];
        for (int i = 0; i < streams.length; i++) {
            streams[i] = new Stream(i, ways);
        }
    }

    /**
     * Runs the trial's variant, and checks the length of each file and the sum of the bytes read in each pass.
     *
     * @param blocks of {@code block-size} in a file of {@code file-size}
     */
    static void measure(Trial trial, int blocks) {
        measure(trial, blocks, Way::of);
    }

    /** The same by other ways, so that a test can make one that loses or changes bytes. */
    static void measure(Trial trial, int blocks, Ways ways) {
        Passes passes;
        try {
            passes = new Passes(trial, blocks, ways);
        } catch (IOException e) {
            throw refused(trial, e);
        }
        Workers.platform(trial).oneInvocation(true).run(passes);
        trial.recorder().measure(-1, "file_bytes", passes.fileSize);
        passes.tell();
        passes.check();
    }

    /** Why the runtime lacks what a variant needs; empty if nothing. */
    static String missing(String variant) {
        return variant.equals("segment") ? ForeignMemory.missing() : "";
    }

    private static Failure refused(Trial trial, IOException cause) {
        String message = cause.getMessage();
        return Failure.resource("--dir " + trial.parameters().getString("dir") + ": "
                + cause.getClass().getSimpleName() + (message == null ? "" : ": " + message));
    }

    @Override
    public void run(Worker worker, int from, int to) {
        try {
            Stream stream = streams[worker.index()];
            Stretch stretch = new Stretch(worker, blocks, slices);
            int iteration = 0;
            for (int pass = 0; pass < passes; pass++) {
                iteration = stream.pass(worker, stretch, pass, iteration);
            }
            stream.close();
        } catch (IOException e) {
            throw refused(trial, e);
        } catch (InternalError e) {
            // How the runtime reports SIGBUS, raised by our own load or store.
            throw Failure.resource("--dir " + trial.parameters().getString("dir") + ": a mapped page cannot be backed:"
                    + " the file system is full or fails");
        }
    }

    private void check() {
        Recorder recorder = trial.recorder();
        long expected = Content.expectedSum(fileSize);
        for (int pass = 0; pass < passes; pass++) {
            for (int i = 0; i < streams.length; i++) {
                String where = phase(pass) + ", stream " + i;
                if (streams[i].file != null) {
                    recorder.check("file size, " + where, fileSize, streams[i].lengths[pass]);
                }
                if (streams[i].way.each) {
                    recorder.check("sum of bytes produced, " + where, expected, streams[i].produced[pass]);
                }
                recorder.check("sum of bytes read, " + where, expected, streams[i].sums[pass]);
            }
        }
    }

    /** How much of what was read was not in the page cache, per pass and stream: says which regime it was. */
    private void tell() {
        Recorder recorder = trial.recorder();
        int ofWriting = slices + (sync ? 1 : 0);
        for (int pass = 0; pass < passes; pass++) {
            int iteration = pass * (ofWriting + slices) + ofWriting;
            for (int i = 0; i < streams.length; i++) {
                if (streams[i].file != null && streams[i].fetched[pass] >= 0) {
                    recorder.measure(iteration, "read.t" + i, "read_bytes", fileSize);
                    recorder.measure(iteration, "read.t" + i, "device_read_bytes", streams[i].fetched[pass]);
                }
            }
        }
    }

    private static String phase(int pass) {
        return "pass" + (pass + 1);
    }

    /** One worker's file, way and series. */
    private final class Stream {
        final ScratchFile file;
        final long[] lengths = new long[passes];
        final long[] produced = new long[passes];
        final long[] fetched = new long[passes];
        final long[] sums = new long[passes];
        private final Way way;
        private final Series write;
        private final Series read;
        private final Series synced;

        Stream(int index, Ways ways) throws IOException {
            file = trial.variant().equals("cpu_loop") ? null : new ScratchFile(trial.parameters());
            way = ways.of(trial.variant(), trial.parameters(), file == null ? "" : file.path);
            write = trial.recorder().series("write.t" + index);
            read = trial.recorder().series("read.t" + index);
            synced = sync ? trial.recorder().series("sync.t" + index) : null;
        }

        /** The number of the next iteration. */
        int pass(Worker worker, Stretch stretch, int pass, int iteration) throws IOException {
            int next = iteration;
            if (file != null) {
                file.startPass();
            }
            stretch.start(next);
            produced[pass] = way.write(stretch);
            stretch.finish(next, phase(pass), write, trial.recorder());
            next += slices;
            if (sync) {
                sync(worker, next, phase(pass));
                next++;
            }
            if (file != null) {
                lengths[pass] = file.length();
            }
            long before = DeviceBytes.ofThisThread();
            stretch.start(next);
            long sum = way.read(stretch);
            stretch.finish(next, phase(pass), read, trial.recorder());
            fetched[pass] = before < 0 ? before : DeviceBytes.ofThisThread() - before;
            sums[pass] = way.each ? sum : file.sum();
            return next + slices;
        }

        private void sync(Worker worker, int iteration, String phase) throws IOException {
            worker.begin(iteration);
            long before = System.nanoTime();
            file.sync();
            long now = System.nanoTime();
            synced.add(now - before);
            worker.end(synced, phase, now, 1);
        }

        void close() throws IOException {
            if (file != null) {
                file.close();
            }
        }
    }

    /** What the kernel counts of a thread's reading; looked up outside the timed stretches. */
    static final class DeviceBytes {
        private static final Path COUNTERS = Path.of("/proc/thread-self/io");
        private static final String NAME = "read_bytes: ";

        private DeviceBytes() {}

        /**
         * Bytes that the calling thread has fetched from devices since it began, or -1 where the kernel does not count
         * them. Reading ahead and the page faults of a mapping count for the thread that caused them.
         */
        static long ofThisThread() {
            try {
                for (String line : Files.readAllLines(COUNTERS)) {
                    if (line.startsWith(NAME)) {
                        return Long.parseLong(line.substring(NAME.length()));
                    }
                }
            } catch (IOException e) {
                return -1;
            }
            return -1;
        }
    }
}
