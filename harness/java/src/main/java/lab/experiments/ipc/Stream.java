package lab.experiments.ipc;

import lab.Phases;
import lab.Series;
import lab.Worker;

/**
 * One way, as fast as the other end takes them. Every {@code sample-every}-th message carries the clock as read before
 * it is offered; that reading also looks at the deadline.
 */
class Stream extends Carrier {
    private static final int TAKEN = 64;

    /** The row of operations. */
    final Series rows;
    /** Of pong. */
    private final Series transit;

    private long received;

    /** @param transit of pong: what its transport samples; null for ping */
    Stream(Setup setup, Phases phases, Transport transport, boolean sharing, Series transit) {
        super(setup, phases, transport, sharing);
        this.transit = transit;
        rows = recorder.series(setup.ping() ? "stream.out" : "stream.in");
    }

    @Override
    void ping(Worker worker, int iteration) {
        int chunk = chunk(iteration, setup.sampleEvery());
        long before = transport.out.sequence();
        long deadline = begin(worker, iteration);
        prepare(deadline);
        while (burst(chunk, deadline)) {
            continue;
        }
        finish(worker, iteration, before, rows);
    }

    /** Sends the last message and ends the iteration. */
    final void finish(Worker worker, int iteration, long before, Series... series) {
        send(Message.LAST, 0);
        long now = System.nanoTime();
        drain();
        long sent = transport.out.sequence() - before;
        end(worker, iteration, now, sent, () -> measureSending(iteration), series);
    }

    /** Leaves the measures of ping. */
    void measureSending(int iteration) {
        measure(iteration, "full", full());
    }

    private boolean burst(int count, long deadline) {
        long now = System.nanoTime();
        if (now - deadline >= 0) {
            return false;
        }
        send(Message.ONE, setup.timed() ? now : 0);
        for (int i = 1; i < count; i++) {
            send(Message.ONE, 0);
        }
        return true;
    }

    @Override
    final void pong(Worker worker, int iteration) {
        int chunk = chunk(iteration, TAKEN);
        long before = received;
        prepare(begin(worker, iteration));
        while (takes(chunk)) {
            continue;
        }
        long now = System.nanoTime();
        drain();
        end(worker, iteration, now, received - before, () -> takenMeasures(iteration), rows, transit);
    }

    private void takenMeasures(int iteration) {
        measure(iteration, "empty", empty());
        Transport.InRing inRing = transport.inRing();
        if (transport.ring() && inRing.over > 0) {
            measure(iteration, "in_ring_sum", inRing.sum);
            measure(iteration, "in_ring_ns", inRing.over);
        }
    }

    /** Whether the iteration goes on after them. */
    private boolean takes(int count) {
        int taken = 0;
        while (taken < count) {
            taken += receive(count - taken);
            if (transport.in.last()) {
                received += taken;
                return false;
            }
        }
        received += taken;
        return true;
    }

    @Override
    void check() {
        if (!setup.ping()) {
            transport.in.check(recorder, received);
        }
        checkDrained();
    }
}
