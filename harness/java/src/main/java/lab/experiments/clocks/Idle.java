package lab.experiments.clocks;

import lab.Recorder;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * What the platform takes from a thread that does nothing but read the clock. The time is cut into slots; the sample
 * of a slot is the longest gap between two readings that ends in it, so that a percentile is a share of time and not
 * of readings. A slot that passed while the thread was away counts as well: its gap is what was left of the absence
 * when the slot began, which is what an operation due at that moment would have waited.
 */
final class Idle implements Workers.Body {
    /** A longer gap is no reading of the clock: the thread was away. */
    private static final long AWAY_NANOS = 1000;
    /** Calls of {@link #watch} that make the compiler compile it whole, and the nanoseconds of each. */
    private static final int CALLS = 20_000;

    private static final long SHORT = 400;

    private final Trial trial;
    private final TimeSource clock;
    private final long slot;
    private final Series gaps;
    /** Of the iteration. */
    private long start;

    private long latest;
    private long reads;
    private long summed;
    private long away;
    private long absences;
    /** Of the trial. */
    private long expectedSlots;

    private long slots;
    private long passed;
    private long gapped;
    private long backward;

    /** @param clock one that counts nanoseconds */
    Idle(Trial trial, TimeSource clock) {
        this.trial = trial;
        this.clock = clock;
        slot = trial.parameters().getLong("slot-us") * 1000;
        gaps = trial.recorder().series("gaps");
        for (int i = 0; i < CALLS; i++) {
            watch(SHORT, SHORT / 4);
        }
        // Closed and not appended: forgotten.
        gaps.close(0, "", 0, 0, 0);
        slots = 0;
        backward = 0;
    }

    @Override
    public void run(Worker worker, int from, int to) {
        for (int iteration = from; iteration < to; iteration++) {
            worker.begin(iteration);
            watch(trial.iterationNanos(), slot);
            worker.end(gaps, trial.phase(iteration), latest, reads);
            account(iteration);
        }
    }

    /**
     * Watches for so many nanoseconds, in slots of so many. A method of its own, called often before anything is
     * measured, so that what happens between two slots is compiled as well: it is part of a gap.
     */
    private void watch(long length, long slot) {
        reads = 0;
        summed = 0;
        away = 0;
        absences = 0;
        start = clock.read();
        latest = start;
        long longest = 0;
        long slotEnd = start + slot;
        do {
            longest = readUntil(slotEnd, longest);
            gaps.add(longest);
            slots++;
            for (; latest - slotEnd >= slot; slotEnd += slot) {
                gaps.add(latest - slotEnd);
                slots++;
            }
            longest = latest - slotEnd;
            slotEnd += slot;
        } while (latest - start < length);
    }

    /** Reads until the slot ends; the longest gap in it, one that began before it included. */
    private long readUntil(long slotEnd, long begun) {
        long last = latest;
        long longest = begun;
        long count = 0;
        long sum = 0;
        do {
            long now = clock.read();
            long gap = now - last;
            sum += gap;
            if (gap > longest) {
                longest = gap;
            }
            if (gap > AWAY_NANOS) {
                away += gap;
                absences++;
            }
            if (gap < 0) {
                backward++;
            }
            last = now;
            count++;
        } while (last - slotEnd < 0);
        latest = last;
        reads += count;
        summed += sum;
        return longest;
    }

    private void account(int iteration) {
        long watched = latest - start;
        expectedSlots += watched / slot;
        passed += watched;
        gapped += summed;
        Recorder recorder = trial.recorder();
        recorder.measure(iteration, "watched_ns", watched);
        recorder.measure(iteration, "away_ns", away);
        recorder.measure(iteration, "absences", absences);
    }

    /** Leaves the checks: no gap and no slot lost, and no reading before the one before it. */
    void check() {
        Recorder recorder = trial.recorder();
        recorder.check("sum of gaps equals last minus first reading", passed, gapped);
        recorder.check("slots equal time over their length", expectedSlots, slots);
        recorder.check("steps back of a monotonic clock", 0, backward);
    }
}
