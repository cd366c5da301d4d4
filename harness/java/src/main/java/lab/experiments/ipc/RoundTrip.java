package lab.experiments.ipc;

import lab.Phases;
import lab.Series;
import lab.Worker;

/** Ping sends a message and waits for the answer, a message like it. One operation is a message handed over. */
final class RoundTrip extends Carrier {
    private static final int ANSWERS = 64;

    private final Series hops;
    /** Of ping; clock to clock. */
    private final Series trips;

    private long received;

    RoundTrip(Setup setup, Phases phases, Transport transport, boolean sharing) {
        super(setup, phases, transport, sharing);
        hops = recorder.series(setup.ping() ? "hop.ping" : "hop.pong");
        trips = setup.ping() ? recorder.series("rtt") : null;
    }

    @Override
    void ping(Worker worker, int iteration) {
        int untimed = chunk(iteration, setup.sampleEvery()) - 1;
        long before = transport.out.sequence();
        long deadline = begin(worker, iteration);
        prepare(deadline);
        while (trips(untimed, deadline)) {
            continue;
        }
        trip(Message.LAST);
        long now = System.nanoTime();
        long sent = transport.out.sequence() - before;
        finish(worker, iteration, now, sent, hops, trips);
    }

    @Override
    void pong(Worker worker, int iteration) {
        int chunk = chunk(iteration, ANSWERS);
        long before = transport.out.sequence();
        prepare(begin(worker, iteration));
        while (answers(chunk)) {
            continue;
        }
        finish(worker, iteration, System.nanoTime(), transport.out.sequence() - before, hops);
    }

    private void finish(Worker worker, int iteration, long now, long sent, Series... rows) {
        drain();
        end(worker, iteration, now, sent, rows);
    }

    /** The last round trip of a chunk is timed. Whether there is time for another one. */
    private boolean trips(int untimed, long deadline) {
        for (int i = 0; i < untimed; i++) {
            trip(Message.ONE);
        }
        long before = System.nanoTime();
        trip(Message.ONE);
        long now = System.nanoTime();
        trips.add(now - before);
        return now - deadline < 0;
    }

    private void trip(int kind) {
        send(kind, 0);
        received += receive(1);
    }

    /** Whether the iteration goes on after them. */
    private boolean answers(int count) {
        for (int i = 0; i < count; i++) {
            received += receive(1);
            int kind = transport.in.kind();
            send(kind, 0);
            if (kind == Message.LAST) {
                return false;
            }
        }
        return true;
    }

    @Override
    void check() {
        transport.in.check(recorder, received);
        recorder.check("answers equal questions", transport.out.sequence(), received);
        checkDrained();
    }
}
