package lab.experiments.ipc;

import lab.Meeting;
import lab.Phases;
import lab.Series;
import lab.Worker;

/**
 * No message, two words of the meeting page, each on a line of its own: what the hardware charges any two
 * processes. Ping sets its word to 1, 2, 3, ..., pong sets its own to what it finds there; the last number of an
 * iteration is negative. It is the floor of every trial of two processes, and a variant of its own.
 *
 * <p>The floor has a warm-up of its own, by both processes: its methods are compiled one after the other, each after
 * thousands of calls, and every one of these waits stands in the way of the other end.
 */
final class Words extends Pattern {
    /** Round trips per sample: reading the clock takes a tenth of one. */
    private static final int FLOOR_CHUNK = 16;

    private final Meeting meeting;
    private final Spin spin;
    private final int own;
    private final int others;
    private final Series floor;
    private final Series hops;
    private final Series trips;

    private long number;
    private long seen;
    private long disorder;

    /** @param sharing whether both ends are on one CPU */
    Words(Setup setup, Phases phases, boolean sharing) {
        super(setup, phases);
        meeting = setup.trial().meeting();
        spin = new Spin(setup, sharing);
        own = Rendezvous.PASSED + setup.index();
        others = Rendezvous.PASSED + 1 - setup.index();
        floor = recorder.series(setup.ping() ? "floor.ping" : "floor.pong");
        boolean variant = setup.trial().variant().equals("word");
        hops = variant ? recorder.series(setup.ping() ? "hop.ping" : "hop.pong") : floor;
        trips = variant && setup.ping() ? recorder.series("rtt") : null;
    }

    @Override
    void ping(Worker worker, int iteration) {
        boolean isFloor = words(iteration);
        Series samples = isFloor ? floor : trips;
        int untimed = (isFloor ? FLOOR_CHUNK : chunk(iteration, setup.sampleEvery())) - 1;
        long before = number;
        long deadline = begin(worker, iteration);
        spin.begin(deadline);
        while (tripsChunk(samples, untimed, deadline)) {
            continue;
        }
        trip(true);
        long now = System.nanoTime();
        long passed = number - before;
        if (isFloor) {
            end(worker, iteration, now, passed, floor);
        } else {
            end(worker, iteration, now, passed, hops, trips);
        }
    }

    @Override
    void pong(Worker worker, int iteration) {
        Series row = words(iteration) ? floor : hops;
        long before = number;
        spin.begin(begin(worker, iteration));
        while (answers(FLOOR_CHUNK)) {
            continue;
        }
        long now = System.nanoTime();
        end(worker, iteration, now, number - before, row);
    }

    /** The last round trip of a chunk is timed. Whether there is time for another one. */
    private boolean tripsChunk(Series samples, int untimed, long deadline) {
        for (int i = 0; i < untimed; i++) {
            trip(false);
        }
        long before = System.nanoTime();
        trip(false);
        long now = System.nanoTime();
        samples.add(now - before);
        return now - deadline < 0;
    }

    private void trip(boolean last) {
        number++;
        meeting.setRelease(own, last ? -number : number);
        await();
    }

    /** Whether the last of them was not that of the iteration. */
    private boolean answers(int count) {
        for (int i = 0; i < count; i++) {
            number++;
            await();
            meeting.setRelease(own, seen);
            if (seen < 0) {
                return false;
            }
        }
        return true;
    }

    /** Waits until the other's word is another than it was. */
    private void await() {
        int left = spin.patience();
        long value;
        while ((value = meeting.getAcquire(others)) == seen) {
            left = spin.turn(left);
        }
        seen = value;
        if (Math.abs(value) != number) {
            disorder++;
        }
    }

    @Override
    void check() {
        recorder.check("bare words lost, repeated or out of order", 0, disorder);
    }
}
