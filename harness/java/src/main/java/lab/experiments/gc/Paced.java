package lab.experiments.gc;

import java.util.Locale;
import java.util.Map;
import lab.Failure;
import lab.Recorder;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * Operations at fixed times, by a thread that spins until each is due. Nothing is skipped or re-based: after a pause
 * all that fell due in it is done at once, and each counts from its own time.
 *
 * <p>Nothing of this is compiled while it is measured, for to be replaced by compiled code, or thrown away and
 * interpreted for a while, would look like a pause. So an iteration is a few calls of {@link #burst}, too few for its
 * own loop ever to be compiled, and before the first iteration there is a {@link Rehearsal}. Every warm-up iteration
 * begins late, because the code for catching up must have been run before it is compiled: code that meets a branch for
 * the first time is thrown away, and interpreted it cannot keep up.
 */
final class Paced implements Workers.Body, Rehearsal.Bursts {
    /** From the clock reading to the first operation of a measured iteration. */
    private static final long LEAD_NANOS = 50_000;
    /** How late a warm-up iteration begins. */
    private static final long BACKLOG_NANOS = 1_000_000;
    /** Of the heap, for what the harness itself allocates where nothing is ever freed. */
    private static final long OURS = 64 << 20;

    /** Of an iteration: as in C. */
    private static final int MOST_OPERATIONS = 1 << 20;

    /** Operations of a burst: the loop of an iteration turns so many times less often than that of a burst. */
    private static final int BURST = 1000;

    private static final double NANOS = 1e9;

    private final Trial trial;
    private final Recorder recorder;
    private final Garbage garbage;
    private final Series late;
    private final Series service;
    private final long periodNanos;
    /** Of an iteration. */
    private final long operations;

    private final String collector = Machine.collector();
    /** Of the measured iterations. */
    private long collections;

    private long watchedNanos;
    private long longestLate;
    private long longestService;
    /** Of all. */
    private long allocated;
    /** Operations done before the first iteration. */
    private long rehearsed;
    /** When the first measured iteration began, and what the threads had used and this one allocated by then. */
    private long since;

    private ThreadTimes usedBefore;
    private long allocatedBefore;

    Paced(Trial trial, GcPause.Program program) {
        this.trial = trial;
        recorder = trial.recorder();
        late = recorder.series("late");
        service = recorder.series("service");
        periodNanos = trial.parameters().getLong("period-us") * 1000;
        operations = trial.iterationNanos() / periodNanos;
        if (operations < 1 || operations > MOST_OPERATIONS) {
            throw trial.parameters()
                    .refused(
                            "period-us",
                            "must make 1 to " + MOST_OPERATIONS + " operations of an iteration (--iteration-ms)");
        }
        requireHeap();
        garbage = program.of(trial.parameters());
    }

    /** Without a collector all that is allocated must fit: said at once, not when there is no room for a message. */
    private void requireHeap() {
        long due = trial.iterations() * operations + Rehearsal.MOST_OPERATIONS;
        long needed = Garbage.most(trial.parameters(), due) + OURS;
        if (collector.equals("epsilon") && needed > Machine.heapBytes()) {
            throw Failure.resource(String.format(
                    Locale.ROOT,
                    "heap: %d MiB, of which nothing is ever freed, and %d operations of %d bytes each, one every %d us,"
                            + " need %d MiB: raise -Xmx, or lower --bytes-per-operation or --iterations",
                    Machine.heapBytes() >> 20,
                    due,
                    trial.parameters().getLong("bytes-per-operation"),
                    periodNanos / 1000,
                    needed >> 20));
        }
    }

    /** The live set is as old as it gets before anything is timed: a program that has run for a while. */
    void run() {
        System.gc();
        Workers.platform(trial).fixed().run(this);
    }

    @Override
    public void run(Worker worker, int from, int to) {
        if (from == 0) {
            rehearsed = new Rehearsal(trial, BACKLOG_NANOS, late, service).untilIdle(this);
        }
        for (int iteration = from; iteration < to; iteration++) {
            iterate(worker, iteration);
        }
    }

    private void iterate(Worker worker, int iteration) {
        boolean measured = trial.measured(iteration);
        if (measured && since == 0) {
            usedBefore = ThreadTimes.now();
            allocatedBefore = Machine.allocatedByMe();
            since = System.nanoTime();
            longestLate = 0;
            longestService = 0;
        }
        worker.begin(iteration);
        long collectionsBefore = Machine.collections();
        long bytesBefore = Machine.allocatedByMe();
        long now = System.nanoTime();
        long start = now + (measured ? LEAD_NANOS : -BACKLOG_NANOS);
        for (long k = 0; k < operations; k += BURST) {
            int length = (int) Math.min(BURST, operations - k);
            now = burst(start + k * periodNanos, periodNanos, length, now);
        }
        long bytes = Machine.allocatedByMe() - bytesBefore;
        long counted = Machine.collections() - collectionsBefore;
        long end = now;
        worker.end(operations, new Runnable() {
            @Override
            public void run() {
                recorder.append(late, iteration, trial.phase(iteration), start, end, operations);
                recorder.append(service, iteration, trial.phase(iteration), start, end, operations);
            }
        });
        recorder.measure(iteration, "watched_ns", end - start);
        recorder.measure(iteration, "allocated_bytes", bytes);
        allocated += bytes;
        if (measured) {
            collections += counted;
            watchedNanos += end - start;
        }
        if (iteration + 1 == trial.iterations()) {
            leaveTimes();
        }
    }

    /** What the threads used from the first measured iteration on, by what they are for. */
    private void leaveTimes() {
        long span = System.nanoTime() - since;
        long bytes = Machine.allocatedByMe() - allocatedBefore;
        ThreadTimes now = ThreadTimes.now();
        if (!now.known()) {
            return;
        }
        Map<ThreadTimes.Group, Long> used = now.since(usedBefore);
        long all = used.values().stream().mapToLong(Long::longValue).sum();
        recorder.measure(-1, "others_cpu_ns", all - used.get(ThreadTimes.Group.WORKER));
        recorder.measure(-1, "others_span_ns", span);
        recorder.measure(-1, "gc_cpu_ns", used.get(ThreadTimes.Group.GC));
        recorder.measure(-1, "compilers_cpu_ns", used.get(ThreadTimes.Group.COMPILERS));
        recorder.measure(-1, "vm_cpu_ns", used.get(ThreadTimes.Group.VM));
        if (garbage.arrays > 0) {
            recorder.measure(-1, "span_allocated_bytes", bytes);
        }
    }

    /**
     * Does operations that are due {@code apart} nanoseconds after one another, the first at {@code due}, and returns
     * when the last was done.
     *
     * @param latest the latest reading of the clock
     */
    @Override
    public long burst(long due, long apart, int length, long latest) {
        long now = latest;
        for (int k = 0; k < length; k++) {
            now = operation(due + k * apart, now);
        }
        return now;
    }

    /**
     * Waits until it is due, does it, and returns when it was done.
     *
     * @param latest the latest reading of the clock: where that is past {@code due}, it begins there
     */
    private long operation(long due, long latest) {
        long begun = latest;
        while (begun - due < 0) {
            Thread.onSpinWait();
            begun = System.nanoTime();
        }
        garbage.operate();
        long done = System.nanoTime();
        late.add(done - due);
        service.add(done - begun);
        longestLate = Math.max(longestLate, done - due);
        longestService = Math.max(longestService, done - begun);
        return done;
    }

    /** Leaves the trial's numbers, and checks that its operations were done, under the collector asked for. */
    void check() {
        long due = trial.iterations() * operations + rehearsed;
        recorder.measure(-1, "watched_s", watchedNanos / NANOS);
        recorder.measure(-1, "late_max_ns", longestLate);
        recorder.measure(-1, "service_max_ns", longestService);
        recorder.measure(-1, "collections", collections);
        recorder.check("operations", due, garbage.operations);
        recorder.check("live arrays in their places", garbage.places(), garbage.inPlace(due));
        long least = trial.iterations() * operations * garbage.arrays * Garbage.LEAST;
        String enough = "at least " + least;
        recorder.check("bytes allocated", enough, allocated < least ? Long.toString(allocated) : enough);
        if (garbage.arrays == 0 || collector.equals("epsilon")) {
            recorder.check("collections while measuring", 0, collections);
        }
        if (!trial.parameters().getString("collector").equals("any")) {
            recorder.check("collector", trial.parameters().getString("collector"), collector);
        }
        if (trial.parameters().getInt("heap") > 0) {
            recorder.check("heap, MiB", trial.parameters().getInt("heap"), Machine.heapBytes() >> 20);
        }
        if (trial.parameters().getInt("young") > 0) {
            recorder.check("young generation, MiB", trial.parameters().getInt("young"), Machine.youngBytes() >> 20);
        }
    }
}
