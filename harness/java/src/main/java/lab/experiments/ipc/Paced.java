package lab.experiments.ipc;

import lab.Phases;
import lab.Series;
import lab.Worker;

/**
 * One way at a rate: message i is due i / rate after the start, absolute, and carries that time, however late it is
 * sent. None is left out, so that a stall delays what was due meanwhile. There is no pause in the wait: reading the
 * clock is one.
 */
final class Paced extends Stream {
    /** From the opening of an iteration to the first message: both ends are there by then. */
    private static final long LEAD_NANOS = 50_000;

    private static final long SECOND = 1_000_000_000;
    private static final int CHUNK = 16;

    private final boolean sharing;
    /** Of ping: sending less the time it was due, what the sender adds. */
    private final Series late;

    private long first;
    private long sent;

    Paced(Setup setup, Phases phases, Transport transport, boolean sharing, Series transit) {
        super(setup, phases, transport, sharing, transit);
        this.sharing = sharing;
        late = setup.ping() ? recorder.series("sent_late") : null;
    }

    @Override
    void ping(Worker worker, int iteration) {
        int chunk = chunk(iteration, CHUNK);
        long before = transport.out.sequence();
        long deadline = begin(worker, iteration);
        prepare(deadline);
        first = start() + LEAD_NANOS;
        sent = 0;
        while (paced(chunk, deadline)) {
            continue;
        }
        finish(worker, iteration, before, rows(), late);
    }

    private boolean paced(int count, long deadline) {
        for (int i = 0; i < count; i++) {
            long due = first + sent * SECOND / setup.rate();
            if (due - deadline >= 0) {
                return false;
            }
            late.add(await(due) - due);
            send(Message.ONE, due);
            sent++;
        }
        return true;
    }

    private long await(long due) {
        long now;
        while ((now = System.nanoTime()) - due < 0) {
            if (sharing) {
                Thread.yield();
            }
        }
        return now;
    }
}
