package lab.experiments.counters;

import java.util.concurrent.locks.LockSupport;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;
import lab.load.Padding;

/**
 * Every worker reads one word, as fast as it can, that one other thread writes now and then. A volatile read cannot be
 * moved out of the loop, and each value is compared with the one before it: it may never be smaller.
 */
final class ReadersKernel implements Workers.Body {
    /** What one reader has seen; on cache lines of its own, since a reader writes it after every chunk. */
    private static final class Reader extends ReaderFields {
        long after0, after1, after2, after3, after4, after5, after6, after7;
        long after8, after9, afterA, afterB, afterC, afterD, afterE, afterF;
    }

    private final SharedWord word;
    private final Reader[] readers;
    private final SlowWriter writer;
    private final Trial trial;
    private final int sampleEvery;

    ReadersKernel(Trial trial) {
        this(trial, new SharedWord());
    }

    /** The same on a given word. */
    ReadersKernel(Trial trial, SharedWord word) {
        this.word = word;
        this.trial = trial;
        sampleEvery = trial.parameters().getInt("sample-every");
        writer = new SlowWriter(word, trial.parameters().getInt("write-pause-us"));
        readers = new Reader[trial.threads()];
        for (int i = 0; i < readers.length; i++) {
            readers[i] = new Reader();
        }
    }

    /** Runs the readers beside the writer, which ends with them however they end. */
    void run(Trial trial) {
        long started = System.nanoTime();
        writer.start();
        try {
            Workers.platform(trial).run(this);
        } finally {
            writer.finish();
        }
        long elapsed = System.nanoTime() - started;
        trial.recorder().measure(-1, "writes", writer.written());
        trial.recorder().measure(-1, "write_period", (double) elapsed / writer.written());
        check(trial);
    }

    private void check(Trial trial) {
        long decreases = 0;
        for (Reader reader : readers) {
            decreases += reader.decreases;
        }
        trial.recorder().check("values that were smaller than the one before", 0, decreases);
        for (int i = 0; i < readers.length; i++) {
            trial.recorder().measure(-1, "t" + i, "values_seen", readers[i].changes);
            trial.recorder().check("last value of reader " + i + " is the writer's", writer.written(), readers[i].last);
        }
    }

    @Override
    public void run(Worker worker, int from, int to) {
        Reader reader = readers[worker.index()];
        Series series = worker.series();
        int untimed = sampleEvery - 1;
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long deadline = worker.begin(iteration);
            long now;
            do {
                read(reader, untimed);
                long before = System.nanoTime();
                read(reader, 1);
                now = System.nanoTime();
                series.add(now - before);
                operations += sampleEvery;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
        if (to == trial.iterations()) {
            // All timed stretches are over. The reader itself looks once more, at what must be the last value.
            writer.finish();
            read(reader, 1);
        }
    }

    private void read(Reader reader, int times) {
        SharedWord word = this.word;
        long last = reader.last;
        for (int i = 0; i < times; i++) {
            long seen = (long) SharedWord.VALUE.getVolatile(word);
            if (seen != last) {
                reader.changes++;
                if (seen < last) {
                    reader.decreases++;
                }
                last = seen;
            }
        }
        reader.last = last;
    }

    /**
     * A thread of its own that writes 1, 2, 3, ... into a word and sleeps between two writes, or writes as fast as it
     * can where the pause is 0. It is pinned to no CPU: asleep most of the time it runs on an idle one where there is
     * one, and otherwise takes a few microseconds now and then from a reader; without a pause it needs one of its own.
     */
    static final class SlowWriter {
        private final SharedWord word;
        private final long pauseNanos;
        private final Thread thread;
        private volatile boolean stopping;
        private long written;

        SlowWriter(SharedWord word, int pauseMicros) {
            this.word = word;
            pauseNanos = pauseMicros * 1_000L;
            thread = new Thread(this::write, "writer");
            thread.setDaemon(true);
        }

        void start() {
            thread.start();
        }

        private void write() {
            long next = 0;
            do {
                SharedWord.VALUE.setRelease(word, ++next);
                if (pauseNanos > 0) {
                    LockSupport.parkNanos(pauseNanos);
                }
            } while (!stopping);
            written = next;
        }

        /** Ends the writing and returns once the last value is written; any number of threads may call it. */
        void finish() {
            stopping = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts a worker", e);
            }
        }

        /** Values written in all; after {@link #finish}. */
        long written() {
            return written;
        }
    }
}

/** The fields themselves. */
class ReaderFields extends Padding {
    long last;
    long changes;
    long decreases;
}
