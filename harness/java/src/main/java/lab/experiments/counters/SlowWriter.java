package lab.experiments.counters;

import java.util.concurrent.locks.LockSupport;

/**
 * A thread of its own that writes 1, 2, 3, ... into a word and sleeps between two writes, or writes as fast as it can
 * where the pause is 0. It is pinned to no CPU: asleep most of the time it runs on an idle one where there is one, and
 * otherwise takes a few microseconds now and then from a reader; without a pause it needs one of its own.
 */
final class SlowWriter {
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
