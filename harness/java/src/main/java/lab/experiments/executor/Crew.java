package lab.experiments.executor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import lab.Failure;
import lab.Native;
import lab.Pinning;
import lab.Workers;
import lab.load.Receipts;

/**
 * The worker threads of a pool, whoever makes them: each enters here first, is pinned, and can then be watched from
 * outside, so that nothing is counted on the workers' own path.
 */
final class Crew {
    private static final Path SELF = Path.of("/proc/thread-self");

    /** A thread that knows what it has to call with every task. */
    interface Member {
        Receipts receipts();
    }

    private final int[] cpus;
    private final Receipts[] receipts;
    private final Thread[] threads;
    /** Of the kernel's view of each thread; null where it has none. */
    private final Path[] status;

    private final int[][] observed;
    private final AtomicInteger made = new AtomicInteger();
    private final CountDownLatch absent;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /**
     * @param receipts of each worker
     * @param cpus     worker i belongs on {@code cpus[i % cpus.length]}; empty: not pinned
     */
    Crew(Receipts[] receipts, int[] cpus) {
        this.receipts = receipts;
        this.cpus = cpus;
        int workers = receipts.length;
        threads = new Thread[workers];
        status = new Path[workers];
        observed = new int[workers][0];
        absent = new CountDownLatch(workers);
    }

    int size() {
        return threads.length;
    }

    /** The number of the next worker to be made, from 0. One too many replaces one that has died. */
    int next() {
        return made.getAndIncrement();
    }

    /** Threads made so far: those that died and were replaced included. */
    int made() {
        return made.get();
    }

    /** Its workers look for tasks themselves, and count when they find none. */
    void countFailedPolls() {
        for (Receipts each : receipts) {
            each.countsFailedPolls();
        }
    }

    /** Starts a thread for each worker, which lives as told by its number; returns when all have entered. */
    void start(IntConsumer life) {
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            thread(() -> life.accept(number)).start();
        }
        awaitEntered();
    }

    /** A thread that will be a worker, for pools that ask for one. It does not keep the process alive. */
    Thread thread(Runnable life) {
        int number = next();
        Thread thread = new Hand(number, life);
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((dead, cause) -> failed(cause));
        return thread;
    }

    private final class Hand extends Thread implements Member {
        private final int number;
        private final Runnable life;
        private final Receipts receipts;

        Hand(int number, Runnable life) {
            super("worker" + number);
            this.number = number;
            this.life = life;
            receipts = Crew.this.receipts(number);
        }

        @Override
        public Receipts receipts() {
            return receipts;
        }

        @Override
        public void run() {
            enter(number);
            life.run();
        }
    }

    /** What worker {@code number} has to call; the first one's for a replacement: that has failed anyway. */
    Receipts receipts(int number) {
        return receipts[number < receipts.length ? number : 0];
    }

    /** The calling thread is worker {@code number} from now on; pins it. */
    void enter(int number) {
        if (number >= threads.length) {
            return;
        }
        threads[number] = Thread.currentThread();
        if (cpus.length > 0) {
            Pinning.pin(cpus[number % cpus.length]);
        }
        if (Native.available()) {
            observed[number] = Native.affinity();
        }
        try {
            Path self = Files.readSymbolicLink(SELF);
            status[number] = Path.of("/proc").resolve(self).resolve("status");
        } catch (IOException unknown) {
            status[number] = null;
        }
        absent.countDown();
    }

    /** A worker has died of this. */
    void failed(Throwable cause) {
        failure.compareAndSet(null, cause);
    }

    /** Throws what a worker has died of: a {@link Failure}, of status 4 if it was not foreseen. */
    void rethrow() {
        Throwable cause = failure.get();
        if (cause instanceof Failure) {
            throw (Failure) cause;
        }
        if (cause != null) {
            throw Failure.check("a worker of the pool died: " + cause);
        }
    }

    /** Returns when all have entered; a {@link Failure} if one of them failed, or does not come. */
    void awaitEntered() {
        long end = System.nanoTime() + Workers.GRACE_NANOS;
        try {
            while (!absent.await(1, TimeUnit.MILLISECONDS)) {
                rethrow();
                if (System.nanoTime() - end > 0) {
                    throw Failure.check(absent.getCount() + " workers of the pool did not start");
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the main thread", e);
        }
    }

    /** Waits for the end of the threads, at most this long in all; how many are still alive. */
    int awaitEnd(long nanos) {
        long end = System.nanoTime() + nanos;
        int alive = 0;
        try {
            for (Thread thread : threads) {
                if (thread != null) {
                    thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
                    alive += thread.isAlive() ? 1 : 0;
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the main thread", e);
        }
        return alive;
    }

    /** Where worker {@code number} was asked to run; null where it is not pinned. */
    Integer requested(int number) {
        return cpus.length == 0 ? null : (Integer) cpus[number % cpus.length];
    }

    /** Where it may run, as read back. */
    int[] observed(int number) {
        return observed[number];
    }

    /** Context switches of all workers so far, voluntary (0) and involuntary (1); null where unknown. */
    long[] switches() {
        long[] sum = new long[2];
        try {
            for (Path each : status) {
                if (each == null) {
                    return null;
                }
                for (String line : Files.readAllLines(each)) {
                    if (line.startsWith("voluntary_ctxt_switches:")) {
                        sum[0] += number(line);
                    } else if (line.startsWith("nonvoluntary_ctxt_switches:")) {
                        sum[1] += number(line);
                    }
                }
            }
            return sum;
        } catch (IOException unknown) {
            return null;
        }
    }

    private static long number(String line) {
        return Long.parseLong(line.substring(line.indexOf(':') + 1).trim());
    }

    /** The numbers by which the runtime knows the workers. */
    List<Long> ids() {
        List<Long> ids = new ArrayList<>();
        for (Thread thread : threads) {
            ids.add(thread.getId());
        }
        return ids;
    }
}
