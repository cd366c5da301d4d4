package lab.experiments.ipc;

import lab.Meeting;
import lab.Phases;
import lab.Series;
import lab.Worker;

/**
 * No message, two words of the meeting page, each on a line of its own: what the hardware charges any two
 * processes. Ping sets its word to 1, 2, 3, ..., pong sets its own to what it finds there; the last number of an
 * iteration is negative. It is the floor of every trial of two processes, and a variant of its own.
 */
final class Words extends Pattern {
    /** Round trips per sample: reading the clock takes a tenth of one. */
    private static final int FLOOR_CHUNK = 16;
    /** Four words that nothing else uses. */
    private static final int FIRST_SPARE = 8;
    /** Enough where four threads share two CPUs. */
    private static final long WARMUP_NANOS = 60_000_000;

    private final Meeting meeting;
    private final Spin spin;
    private final int own;
    private final int others;
    private final Series floor;
    private final Series hops;
    private final Series trips;

    private final Hops floorHops = new Hops();
    private final Hops measuredHops = new Hops();
    private long number;
    private long seen;
    private long disorder;

    /** @param sharing whether both ends are on one CPU */
    Words(Setup setup, Phases phases, boolean sharing) {
        this(setup, phases, sharing, Rendezvous.PASSED + setup.index(), Rendezvous.PASSED + 1 - setup.index());
    }

    private Words(Setup setup, Phases phases, boolean sharing, int own, int others) {
        super(setup, phases);
        meeting = setup.trial().meeting();
        spin = new Spin(setup, sharing);
        this.own = own;
        this.others = others;
        floor = recorder.series(setup.ping() ? "floor.ping" : "floor.pong");
        boolean variant = setup.trial().variant().equals("word");
        hops = variant ? recorder.series(setup.ping() ? "hop.ping" : "hop.pong") : floor;
        trips = variant && setup.ping() ? recorder.series("rtt") : null;
    }

    /**
     * Has the loops compiled, for the floor is too short to warm up: two threads of this process play both
     * ends, over words that no other has.
     */
    static void warmUp(Setup setup, Phases phases) {
        int first = FIRST_SPARE + 2 * setup.index();
        Words ping = new Words(setup, phases, true, first, first + 1);
        Words pong = new Words(setup, phases, true, first + 1, first);
        long deadline = System.nanoTime() + WARMUP_NANOS;
        ping.spin.begin(deadline);
        pong.spin.begin(deadline);
        Thread thread = new Thread(() -> {
            while (pong.answers(FLOOR_CHUNK)) {
                continue;
            }
        });
        thread.setDaemon(true);
        thread.start();
        while (ping.tripsChunk(ping.floor, FLOOR_CHUNK - 1, deadline)) {
            continue;
        }
        ping.trip(true);
    }

    /** What one way took in the floor, ns. */
    double floorNanos() {
        return floorHops.median();
    }

    /** What one way took in the variant; empty in any other. */
    Hops measuredHops() {
        return measuredHops;
    }

    @Override
    void ping(Worker worker, int iteration) {
        boolean isFloor = phase(iteration).equals(FLOOR);
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
        count(iteration, now, passed);
        if (isFloor) {
            end(worker, iteration, now, passed, Words::nothing, floor);
        } else {
            end(worker, iteration, now, passed, Words::nothing, hops, trips);
        }
    }

    @Override
    void pong(Worker worker, int iteration) {
        Series row = phase(iteration).equals(FLOOR) ? floor : hops;
        long before = number;
        spin.begin(begin(worker, iteration));
        while (answers(FLOOR_CHUNK)) {
            continue;
        }
        long now = System.nanoTime();
        count(iteration, now, number - before);
        end(worker, iteration, now, number - before, Words::nothing, row);
    }

    private void count(int iteration, long now, long passed) {
        if (phase(iteration).equals(FLOOR)) {
            floorHops.add(now - start(), 2 * passed);
        } else if (measured(iteration)) {
            measuredHops.add(now - start(), 2 * passed);
        }
    }

    private static void nothing() {}

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
