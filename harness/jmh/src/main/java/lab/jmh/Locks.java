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
    /** What the lock guards. The comparison is that of the owner window in the harness, which is always closed here. */
    @State(Scope.Benchmark)
    public static class Counter {
        long value;
        long windowStart = Long.MAX_VALUE;
        short[] owners = new short[1];

        void increment(short owner) {
            long count = value;
            value = count + 1;
            long slot = count - windowStart;
            if (Long.compareUnsigned(slot, owners.length) < 0) {
                owners[(int) slot] = owner;
            }
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
            counter.increment((short) 0);
        }
    }

    @Benchmark
    public void reentrant_lock(Placement placement, Reentrant reentrant, Counter counter) {
        ReentrantLock lock = reentrant.lock;
        lock.lock();
        try {
            counter.increment((short) 0);
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

    /** Keeps the durations of the timed operations from being thrown away. */
    @State(Scope.Thread)
    public static class Timed {
        long sum;
    }

    /**
     * For several threads. What a thread does between release and the next acquire decides whether a waiter gets in,
     * and so the run lengths and the cost: JMH's look at its flag after every operation would make another experiment
     * of it, and so does leaving out the two readings of the clock, during which the lock is free, around the last
     * operation of a chunk. This is the loop of the harness, with both.
     */
    @Benchmark
    public void monitor_chunk(Placement placement, Monitor monitor, Counter counter, Chunk chunk, Timed timed) {
        int operations = chunk.chunk;
        for (int i = 1; i < operations; i++) {
            synchronized (monitor.lock) {
                counter.increment((short) 0);
            }
        }
        long before = System.nanoTime();
        synchronized (monitor.lock) {
            counter.increment((short) 0);
        }
        timed.sum += System.nanoTime() - before;
    }

    @Benchmark
    public void reentrant_lock_chunk(
            Placement placement, Reentrant reentrant, Counter counter, Chunk chunk, Timed timed) {
        ReentrantLock lock = reentrant.lock;
        int operations = chunk.chunk;
        for (int i = 1; i < operations; i++) {
            lock.lock();
            try {
                counter.increment((short) 0);
            } finally {
                lock.unlock();
            }
        }
        long before = System.nanoTime();
        lock.lock();
        try {
            counter.increment((short) 0);
        } finally {
            lock.unlock();
        }
        timed.sum += System.nanoTime() - before;
    }
}
