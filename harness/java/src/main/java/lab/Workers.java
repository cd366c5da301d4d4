package lab;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs the iterations of a trial on its worker threads, one series ({@code t0}, {@code t1}, ...) per worker, and
 * leaves their rows, the pinning, the context switches and the waiting for a CPU. Threads start and end outside every
 * timed stretch.
 */
public final class Workers {
    /**
     * What {@link #patience} adds to an iteration's length: far longer than any host keeps a thread that can run from
     * running, far shorter than the time-out of a trial.
     */
    public static final long GRACE_NANOS = 10_000_000_000L;
    /**
     * What {@link #patience} allows for one wake-up, on the average of an iteration: about a hundred times of what it
     * takes where a CPU is free.
     */
    public static final long WAKE_NANOS = 1_000_000;

    /** What a worker does: the iterations {@code from <= i < to}, each bracketed by begin and end. */
    public interface Body {
        void run(Worker worker, int from, int to);
    }

    /** Called by one thread after each iteration, while no worker is inside a timed stretch. */
    public interface AfterIteration {
        /** @param operations of each worker in that iteration */
        void ended(int iteration, long[] operations);
    }

    /** Called by one thread once all workers have arrived at the begin of an iteration, before any leaves. */
    public interface Opening {
        /** @param deadline of the iteration, on the scale of {@link System#nanoTime()} */
        void opens(int iteration, long deadline);
    }

    final Trial trial;
    final boolean virtual;
    final boolean countsSwitches;
    final Barrier barrier;
    /** From {@link #run} on. */
    Readings readings;
    /** The iterations of the trial. */
    Phases phases;

    private final Worker[] workers;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Thread[] threads;
    private Settling settling;
    /** What compiling had taken when the iteration was opened. */
    private long compilingNanos;

    private int beside;
    private boolean fixed;
    private boolean oneInvocation;
    private Opening opened;
    private AfterIteration after;
    private Runnable abandon;
    private long patienceNanos;
    /** Of all workers, in this iteration; ordered by the barrier. */
    long deadlineNanos;

    /** One platform thread per {@code --threads}. */
    public static Workers platform(Trial trial) {
        return new Workers(trial, false);
    }

    /**
     * One virtual thread per {@code --threads}. With {@code --cpus} the carriers are pinned, one to each CPU, and a
     * worker may move among them. Neither context switches nor the waiting for a CPU are counted: those of a carrier
     * belong to no single worker.
     */
    public static Workers virtual(Trial trial) {
        return new Workers(trial, true);
    }

    private Workers(Trial trial, boolean virtual) {
        this.trial = trial;
        this.virtual = virtual;
        phases = trial.phases();
        countsSwitches = Native.available() && !virtual;
        int threads = trial.threads();
        barrier = new Barrier(trial, virtual);
        workers = new Worker[threads];
        this.threads = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = new Worker(this, i, trial.recorder().series("t" + i));
        }
    }

    /**
     * Whether all iterations share one invocation of the body (which is then replaced on the stack while it runs),
     * or each is an invocation of its own (which then enters standard-compiled code).
     */
    public Workers oneInvocation(boolean oneInvocation) {
        this.oneInvocation = oneInvocation;
        return this;
    }

    /**
     * The iterations are those that were asked for and no others, whatever the compiler does: of an experiment whose
     * check or whose subject rests on their number. They are told about all the same.
     */
    public Workers fixed() {
        fixed = true;
        return this;
    }

    /** Sets how many threads of the body's own run beside the workers, on the CPUs after theirs. */
    public Workers beside(int threads) {
        beside = threads;
        return this;
    }

    /** Sets the iterations of the trial, where they are not the warm-up and measured ones of every experiment. */
    public Workers phases(Phases phases) {
        this.phases = phases;
        return this;
    }

    /** Sets what learns the deadline of an iteration before its workers do. */
    public Workers opening(Opening opened) {
        this.opened = opened;
        return this;
    }

    /** Sets what frees workers from waits that an interrupt does not end, once one of them has failed. */
    public Workers abandon(Runnable abandon) {
        this.abandon = abandon;
        return this;
    }

    /** Sets what runs between iterations. */
    public Workers afterIteration(AfterIteration after) {
        this.after = after;
        return this;
    }

    /**
     * Sets after how long without the end of an iteration, or another meeting of the workers, the trial fails: an
     * iteration's length and {@link #GRACE_NANOS}. 0, as without this call: nobody knows its length, and it is awaited
     * for ever.
     */
    public Workers patience(long nanos) {
        patienceNanos = nanos;
        return this;
    }

    /** Runs every iteration of the trial; a worker's failure ends all of them and is thrown here. */
    public void run(Body body) {
        boolean adapts = !fixed && !oneInvocation;
        if (!adapts && trial.meeting().parts() > 1) {
            trial.meeting().fix();
        }
        settling = new Settling(trial.recorder(), phases, trial.compilations().known(), adapts);
        if (virtual) {
            VirtualThreads.pinCarriers(trial.cpus());
        }
        readings = new Readings(this, beside);
        readings.before();
        for (int i = 0; i < threads.length; i++) {
            Worker worker = workers[i];
            Runnable life = () -> live(worker, body);
            threads[i] = virtual ? VirtualThreads.unstarted(life) : new Thread(life, "t" + i);
        }
        try {
            for (Thread thread : threads) {
                thread.start();
            }
        } catch (OutOfMemoryError e) {
            fail(Failure.resource("--threads " + threads.length + ": the system refuses so many threads"));
        }
        join();
        rethrow();
        readings.after();
        leaveTotals();
    }

    private void live(Worker worker, Body body) {
        try {
            worker.pin();
            iterate(body, worker);
            worker.finish();
        } catch (Barrier.Broken secondary) {
            return;
        } catch (Throwable e) {
            fail(e);
        }
    }

    private void iterate(Body body, Worker worker) {
        if (oneInvocation) {
            body.run(worker, 0, phases.iterations());
        } else {
            for (int i = 0; i < phases.iterations(); i++) {
                body.run(worker, i, i + 1);
            }
        }
    }

    /** Ends the others, wherever they wait: at the barrier, or asleep in a body's own wait for one another. */
    private void fail(Throwable cause) {
        failure.compareAndSet(null, cause);
        barrier.breakUp();
        trial.meeting().breakUp();
        for (Thread thread : threads) {
            thread.interrupt();
        }
        if (abandon != null) {
            abandon.run();
        }
    }

    private void join() {
        try {
            if (!new Patience(patienceNanos).awaitEnd(threads, barrier)) {
                fail(Failure.check(String.format(
                        Locale.ROOT,
                        "no iteration ended in %.3g s: a worker waits for what does not come, as after a lost signal",
                        patienceNanos / 1e9)));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the main thread", e);
        }
    }

    private void rethrow() {
        Throwable cause = failure.get();
        if (cause instanceof RuntimeException) {
            throw (RuntimeException) cause;
        }
        if (cause instanceof Error) {
            throw (Error) cause;
        }
    }

    /** Sets the deadline of an iteration; run by the last worker to arrive. */
    void open(int iteration) {
        compilingNanos = trial.compilations().nanos();
        deadlineNanos = System.nanoTime() + phases.of(iteration).nanos();
        if (opened != null) {
            opened.opens(iteration, deadlineNanos);
        }
    }

    /** Decides whether the iteration counts, and what comes after it; run by the last worker to end it. */
    void close(int iteration) {
        boolean compiled = compiled(iteration);
        long nanos = phases.of(iteration).nanos();
        if (trial.meeting().parts() > 1) {
            compiled = trial.meeting().compiled(iteration, compiled, trial.iterationNanos() + GRACE_NANOS);
        } else {
            nanos = Math.max(nanos, nanos + System.nanoTime() - deadlineNanos);
        }
        settling.ended(iteration, compiled, nanos);
    }

    /** Whether something was compiled while any worker was in its timed stretch, which is told. */
    private boolean compiled(int iteration) {
        long before = Long.MAX_VALUE;
        long after = 0;
        for (Worker worker : workers) {
            before = Math.min(before, worker.compiledBefore);
            after = Math.max(after, worker.compiledAfter);
        }
        if (after == before) {
            return false;
        }
        String last = trial.compilations().last();
        trial.recorder().measure(iteration, last, "compilations", after - before);
        trial.recorder()
                .measure(iteration, last, "compilation_ns", trial.compilations().nanos() - compilingNanos);
        return true;
    }

    /** Called by worker 0 once all workers have ended the iteration, and before any can begin the next. */
    void ended(int iteration) {
        readings.leave(iteration);
        long[] operations = new long[workers.length];
        for (int i = 0; i < workers.length; i++) {
            workers[i].rows.run();
            operations[i] = workers[i].operations;
        }
        if (after != null) {
            after.ended(iteration, operations);
        }
    }

    private void leaveTotals() {
        settling.leave();
        long voluntary = 0;
        long involuntary = 0;
        for (Worker worker : workers) {
            worker.leavePinning();
            voluntary += worker.voluntary;
            involuntary += worker.involuntary;
        }
        if (countsSwitches) {
            trial.recorder().measure(-1, "context_switches_voluntary", voluntary);
            trial.recorder().measure(-1, "context_switches_involuntary", involuntary);
        }
        if (Arrays.stream(workers).allMatch(worker -> worker.waited.known())) {
            trial.recorder()
                    .waited(
                            workers[0].waited.nanos(RunDelay.PROCESS),
                            waited(RunDelay.WALL),
                            waited(RunDelay.RAN),
                            waited(RunDelay.DELAY));
        }
    }

    private List<Long> waited(int kind) {
        return Arrays.stream(workers).map(worker -> worker.waited.nanos(kind)).toList();
    }
}
