package lab.experiments.ipc;

import lab.Phases;

/** A pattern of messages: sends and takes them by a transport, and waits where that has no room, or none. */
abstract class Carrier extends Pattern {
    /** How long it may take until the other end has taken everything, once an iteration is over. */
    private static final long DRAIN_NANOS = 1_000_000_000;

    final Transport transport;
    private final Spin offers;
    private final Spin polls;
    private long notDrained;

    Carrier(Setup setup, Phases phases, Transport transport, boolean sharing) {
        super(setup, phases);
        this.transport = transport;
        offers = new Spin(setup, sharing);
        polls = new Spin(setup, sharing);
        transport.waits(offers, polls);
    }

    /** An iteration begins. */
    final void prepare(long deadline) {
        offers.begin(deadline);
        polls.begin(deadline);
        transport.inRing().begin();
    }

    final void send(int kind, long time) {
        if (!transport.offer(kind, time)) {
            int left = offers.rest(true, offers.patience());
            while (!transport.roomy() || !transport.offer(kind, time)) {
                left = offers.rest(false, left);
            }
        }
    }
    /** At least one, at most so many. */
    final int receive(int most) {
        int left = polls.patience();
        int taken;
        while ((taken = transport.poll(most)) == 0) {
            left = polls.turn(left);
        }
        return taken;
    }

    /** Failed offers of this iteration. */
    final long full() {
        return offers.turns();
    }

    /** Polls of this iteration that found nothing. */
    final long empty() {
        return polls.turns();
    }

    /** Once the iteration is over: nothing may be left in a ring. */
    final void drain() {
        long begin = System.nanoTime();
        while (!transport.drained()) {
            Thread.yield();
            if (System.nanoTime() - begin > DRAIN_NANOS) {
                notDrained++;
                return;
            }
        }
    }

    final void checkDrained() {
        if (transport.ring()) {
            recorder.check("iterations after which a ring was not empty", 0, notDrained);
        }
    }
}
