package lab.experiments.ipc;

import lab.Phases;
import lab.Series;
import lab.Worker;

/**
 * One way at a rate: message i is due i / rate after the start, absolute, and carries that time, however late it is
 * sent. None is left out, so that a stall delays what was due meanwhile. How long sending takes is counted. There is no
 * pause in the wait: reading the clock is one.
 */
final class Paced extends Stream {
    /** From the opening of an iteration to the first message: both ends are there by then. */
    private static final long LEAD_NANOS = 50_000;

    private static final long SECOND = 1_000_000_000;
    private static final int CHUNK = 16;
    /** Messages a second while warming up: at a tenth of it the loops would be compiled in measured iterations. */
    private static final long WARMUP_RATE = 300_000;

    private final boolean sharing;
    /** Of ping: sending less the time it was due, what the sender adds. */
    private final Series late;

    private long first;
    private long rate;
    private long sent;
    /** The clock as last read, and how long sending took, in this iteration. */
    private long now;

    private long sendingNanos;

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
        rate = warmup(iteration) ? Math.max(setup.rate(), WARMUP_RATE) : setup.rate();
        sendingNanos = 0;
        now = System.nanoTime();
        while (paced(chunk, deadline)) {
            continue;
        }
        finish(worker, iteration, before, rows, late);
    }

    private boolean paced(int count, long deadline) {
        for (int i = 0; i < count; i++) {
            long due = first + sent * SECOND / rate;
            if (due - deadline >= 0) {
                return false;
            }
            await(due);
            late.add(now - due);
            long before = now;
            send(Message.ONE, due);
            now = System.nanoTime();
            sendingNanos += now - before;
            sent++;
        }
        return true;
    }

    private void await(long due) {
        while (now - due < 0) {
            if (sharing) {
                Thread.yield();
            }
            now = System.nanoTime();
        }
    }

    @Override
    void measureSending(int iteration) {
        super.measureSending(iteration);
        measure(iteration, "sending_ns", sendingNanos);
    }
}
