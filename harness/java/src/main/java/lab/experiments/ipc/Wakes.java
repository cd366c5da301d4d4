package lab.experiments.ipc;

import lab.Meeting;
import lab.Phases;
import lab.Series;
import lab.Worker;

/**
 * No message, and ends that sleep: what the host charges any two processes for waking each other. As {@link Words}, but
 * whoever waits sleeps on a futex, and whoever passes a number wakes it. It is in every trial of two processes, the
 * floor under all links that sleep.
 *
 * <p>A class of its own, with loops of its own: {@link Words} is compiled as if no other way to wait had ever been.
 */
final class Wakes extends Pattern {
    /** Words of the meeting page: what ping has passed, and in the next one what pong has. */
    private static final int PASSED = 6;

    private final Meeting meeting;
    private final int own;
    private final int others;
    private final Series row;
    private long deadline;
    private long number;
    private long seen;
    private long disorder;

    Wakes(Setup setup, Phases phases) {
        super(setup, phases);
        meeting = setup.trial().meeting();
        own = PASSED + setup.index();
        others = PASSED + 1 - setup.index();
        row = recorder.series(setup.ping() ? "wake.ping" : "wake.pong");
    }

    @Override
    void ping(Worker worker, int iteration) {
        long before = number;
        deadline = begin(worker, iteration);
        while (timedTrip()) {
            continue;
        }
        trip(true);
        finish(worker, iteration, before);
    }

    @Override
    void pong(Worker worker, int iteration) {
        long before = number;
        deadline = begin(worker, iteration);
        while (answers()) {
            continue;
        }
        finish(worker, iteration, before);
    }

    private void finish(Worker worker, int iteration, long before) {
        long now = System.nanoTime();
        end(worker, iteration, now, number - before, row);
    }

    /** Whether there is time for another one. */
    private boolean timedTrip() {
        long before = System.nanoTime();
        trip(false);
        long now = System.nanoTime();
        row.add(now - before);
        return now - deadline < 0;
    }

    private void trip(boolean last) {
        number++;
        pass(last ? -number : number);
        await();
    }

    /** Whether it was not the last of the iteration. */
    private boolean answers() {
        number++;
        await();
        pass(seen);
        return seen > 0;
    }

    private void pass(long value) {
        meeting.setRelease(own, value);
        meeting.wake(own);
    }

    /** Waits until the other's word is another than it was. */
    private void await() {
        long value;
        while ((value = meeting.getAcquire(others)) == seen) {
            if (!meeting.sleep(others, value, Spin.LONGEST_SLEEP_NANOS)) {
                meeting.endIfHopeless(deadline);
            }
        }
        seen = value;
        if (Math.abs(value) != number) {
            disorder++;
        }
    }

    @Override
    void check() {
        recorder.check("bare wake-ups lost, repeated or out of order", 0, disorder);
    }
}
