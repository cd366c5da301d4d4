package lab.experiments.ipc;

import lab.Phases;
import lab.Series;
import lab.Worker;

/** One thread is both ends: messages are offered, then taken, and no line ever travels. */
final class Solo extends Carrier {
    private static final int AT_ONCE = 64;

    private final int batch;
    private final Series rows;
    private long received;

    /** @param capacity of the ring */
    Solo(Setup setup, Phases phases, Transport transport, int capacity) {
        super(setup, phases, transport, false);
        batch = Math.min(AT_ONCE, capacity / 2 / Ring.record(setup.size()));
        rows = recorder.series("stream.in");
    }

    @Override
    void ping(Worker worker, int iteration) {
        long before = received;
        long deadline = begin(worker, iteration);
        prepare(deadline);
        long now;
        do {
            offersAndTakes();
            now = System.nanoTime();
        } while (now - deadline < 0);
        send(Message.LAST, 0);
        received += receive(1);
        now = System.nanoTime();
        drain();
        end(worker, iteration, now, received - before, rows);
    }

    private void offersAndTakes() {
        for (int i = 0; i < batch; i++) {
            send(Message.ONE, 0);
        }
        int taken = 0;
        while (taken < batch) {
            taken += receive(batch - taken);
        }
        received += taken;
    }

    @Override
    void pong(Worker worker, int iteration) {
        throw new IllegalStateException("there is one end");
    }

    @Override
    void check() {
        transport.in.check(recorder, received);
        checkDrained();
    }
}
