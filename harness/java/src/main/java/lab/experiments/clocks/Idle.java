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

    private final Trial trial;
    private final TimeSource clock;
    private final long slot;
    private final Series gaps;
    /** Of the iteration. */
    private long latest;
    private long longest;
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
    }

    @Override
    public void run(Worker worker, int from, int to) {
        for (int iteration = from; iteration < to; iteration++) {
            worker.begin(iteration);
            reads = 0;
            summed = 0;
            away = 0;
            absences = 0;
            longest = 0;
            long start = clock.read();
            latest = start;
            long slotEnd = start + slot;
            do {
                watch(slotEnd);
                gaps.add(longest);
                slots++;
                for (; latest - slotEnd >= slot; slotEnd += slot) {
                    gaps.add(latest - slotEnd);
                    slots++;
                }
                longest = latest - slotEnd;
                slotEnd += slot;
            } while (latest - start < trial.iterationNanos());
            long end = latest;
            worker.end(gaps, trial.phase(iteration), end, reads);
            account(iteration, end - start);
        }
    }

    /** Reads until the slot ends. A method of its own, called often, so that it is compiled whole. */
    private void watch(long slotEnd) {
        long last = latest;
        long most = longest;
        long count = 0;
        long sum = 0;
        do {
            long now = clock.read();
            long gap = now - last;
            sum += gap;
            if (gap > most) {
                most = gap;
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
        longest = most;
        reads += count;
        summed += sum;
    }

    private void account(int iteration, long watched) {
        expectedSlots += watched / slot;
        passed += watched;
        gapped += summed;
        Recorder recorder = trial.recorder();
        recorder.measure(iteration, "", "watched_ns", watched);
        recorder.measure(iteration, "", "away_ns", away);
        recorder.measure(iteration, "", "absences", absences);
    }

    /** Leaves the checks: no gap and no slot lost, and no reading before the one before it. */
    void check() {
        Recorder recorder = trial.recorder();
        recorder.check("sum of gaps equals last minus first reading", passed, gapped);
        recorder.check("slots equal time over their length", expectedSlots, slots);
        recorder.check("steps back of a monotonic clock", 0, backward);
    }
}
