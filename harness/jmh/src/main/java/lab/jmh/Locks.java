package lab.jmh;

import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * One acquisition of a lock around one increment: the operation of the experiment {@code lock_scaling}, in the loop
 * that JMH generates. The counter is a state of its own, because JMH pads states: it lies on other cache lines than
 * the lock, as in the harness.
 */
public class Locks {
    /** What the lock guards. */
    @State(Scope.Benchmark)
    public static class Counter {
        long value;

        void increment() {
            value++;
        }
    }

    /** The lock of the synchronized block: a plain object. */
    @State(Scope.Benchmark)
    public static class Monitor {
        final Object lock = new Object();
    }

    /** The barging ReentrantLock. */
    @State(Scope.Benchmark)
    public static class Reentrant {
        final ReentrantLock lock = new ReentrantLock(false);
    }

    @Benchmark
    public void monitor(Placement placement, Monitor monitor, Counter counter) {
        synchronized (monitor.lock) {
            counter.increment();
        }
    }

    @Benchmark
    public void reentrant_lock(Placement placement, Reentrant reentrant, Counter counter) {
        ReentrantLock lock = reentrant.lock;
        lock.lock();
        try {
            counter.increment();
        } finally {
            lock.unlock();
        }
    }

    /** Operations of the benchmarks for several threads between two looks at JMH's flag: one invocation. */
    @State(Scope.Benchmark)
    public static class Chunk {
        @Param("1024")
        int chunk;
    }

    /** Keeps the readings of the clock from being thrown away. */
    @State(Scope.Thread)
    public static class Read {
        long nanos;
    }

    /**
     * For several threads. What a thread does between release and the next acquire decides whether a waiter gets in,
     * and so the run lengths and the cost: JMH's look at its flag after every operation would make another experiment
     * of it, and so does leaving out the reading of the clock, during which the lock is free, at the end of a chunk.
     * This is the loop of the harness, with it.
     */
    @Benchmark
    public void monitor_chunk(Placement placement, Monitor monitor, Counter counter, Chunk chunk, Read read) {
        int operations = chunk.chunk;
        for (int i = 0; i < operations; i++) {
            synchronized (monitor.lock) {
                counter.increment();
            }
        }
        read.nanos = System.nanoTime();
    }

    @Benchmark
    public void reentrant_lock_chunk(
            Placement placement, Reentrant reentrant, Counter counter, Chunk chunk, Read read) {
        ReentrantLock lock = reentrant.lock;
        int operations = chunk.chunk;
        for (int i = 0; i < operations; i++) {
            lock.lock();
            try {
                counter.increment();
            } finally {
                lock.unlock();
            }
        }
        read.nanos = System.nanoTime();
    }
}
