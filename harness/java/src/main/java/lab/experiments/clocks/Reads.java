package lab.experiments.clocks;

import lab.Recorder;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * What reading a clock costs, and what two readings in a row can tell apart. The first half of an iteration reads in
 * batches, whose durations are the samples of series {@code batches}: a batch is long against the reading that ends
 * it. The second half stores every reading of one unbroken stretch; the steps between them are taken afterwards and
 * are the samples of series {@code steps}. It is as many readings long as fit, by the fastest batch, so that nothing
 * but the clock is read in its loop.
 */
class Reads implements Workers.Body {
    /** Readings stored in an iteration at most: 4 MB. */
    private static final int MOST = 1 << 19;
    /** Calls of {@link #fill} that make the compiler compile it whole; the stretches of a trial are too few. */
    private static final int CALLS = 20_000;

    private final Trial trial;
    private final TimeSource clock;
    private final int batch;
    private final Series batches;
    private final Series steps;
    private final long[] readings = new long[MOST];
    /** The latest reading, in a place of its own: what the stored ones have to agree with. */
    private long latest;

    private long outside;
    private long stepped;
    private long passed;
    private long backward;
    private long smallest = ClockSteps.NONE;

    Reads(Trial trial, TimeSource clock) {
        this.trial = trial;
        this.clock = clock;
        batch = trial.parameters().getInt("batch");
        batches = trial.recorder().series("batches");
        steps = trial.recorder().series("steps");
        for (int i = 0; i < CALLS; i++) {
            fill(readings, 2);
        }
    }

    @Override
    public void run(Worker worker, int from, int to) {
        for (int iteration = from; iteration < to; iteration++) {
            long half = worker.begin(iteration) - trial.iterationNanos() / 2;
            long reads = 0;
            long start = System.nanoTime();
            long now = start;
            long fastest = Long.MAX_VALUE;
            latest = clock.read();
            do {
                readBatch();
                long after = System.nanoTime();
                fastest = Math.min(fastest, after - now);
                batches.add(after - now);
                now = after;
                reads += batch;
            } while (now - half < 0);
            long elapsed = now - start;
            int count = (int) Math.min(MOST, Math.max(2, trial.iterationNanos() / 2 * batch / (fastest + 1)));
            long stretchStart = System.nanoTime();
            fill(readings, count);
            long stretchEnd = System.nanoTime();
            int number = iteration;
            long batchReads = reads;
            worker.end(reads + count, new Runnable() {
                @Override
                public void run() {
                    String phase = trial.phase(number);
                    trial.recorder().append(batches, number, phase, start, start + elapsed, batchReads);
                    ClockSteps found = new ClockSteps(readings, count, clock.unitNanos, steps);
                    trial.recorder().append(steps, number, phase, stretchStart, stretchEnd, count);
                    account(found, number);
                }
            });
        }
    }

    /**
     * One batch. Every reading is used, so none can be left out: their distances from the reading before the batch,
     * added up, must lie between none and all of the time that passed.
     */
    private void readBatch() {
        long before = latest;
        long reading = before;
        long sum = 0;
        for (int i = 0; i < batch; i++) {
            reading = clock.read();
            sum += reading - before;
        }
        latest = reading;
        if (sum < 0 || sum > batch * (reading - before)) {
            outside++;
        }
    }

    /** Stores so many readings. */
    void fill(long[] readings, int count) {
        long reading = 0;
        for (int i = 0; i < count; i++) {
            reading = clock.read();
            readings[i] = reading;
        }
        latest = reading;
    }

    private void account(ClockSteps found, int iteration) {
        stepped += found.sum;
        passed += (latest - readings[0]) * clock.unitNanos;
        backward += found.backward;
        smallest = Math.min(smallest, found.smallest);
        found.measure(trial.recorder(), iteration);
    }

    /** Leaves the smallest step and the checks: no reading lost, of a monotonic clock none before its forerunner. */
    void finish() {
        Recorder recorder = trial.recorder();
        if (smallest != ClockSteps.NONE) {
            recorder.measure(-1, "smallest_step", smallest);
        }
        recorder.check("sum of steps equals last minus first reading", passed, stepped);
        if (clock.monotonic) {
            recorder.check("steps back of a monotonic clock", 0, backward);
            recorder.check("batches with readings outside them", 0, outside);
        }
    }
}
