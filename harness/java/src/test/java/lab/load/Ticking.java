package lab.load;

import java.util.function.LongSupplier;

/** A pacer whose clock advances by a step at each reading, and once by a jump. */
final class Ticking extends Pacer {
    static final int STEP = 10;
    private static final Arrivals UNIFORM = new Arrivals(true, 1);
    private static final long GAP_NANOS = 100;

    long now;
    long jumpAt = Long.MAX_VALUE;
    long jump;

    Ticking(Sender sender, int producer, int sampleEvery, LongSupplier handled) {
        super(sender, producer, sampleEvery, false, handled, 1);
    }

    /** One that has sent so many events. */
    static Ticking after(long events, Sender sender, LongSupplier handled) {
        Ticking pacer = new Ticking(sender, 0, 1, handled);
        pacer.prepare(evenly(events));
        pacer.opens(0);
        pacer.pace();
        return pacer;
    }

    /** So many events, the first of them due after one gap. */
    static Schedule evenly(long events) {
        Schedule schedule = new Schedule();
        schedule.paced(UNIFORM, 0, 1e9 / GAP_NANOS, GAP_NANOS * events + 1);
        return schedule;
    }

    @Override
    long nanos() {
        now += STEP;
        if (now >= jumpAt) {
            now += jump;
            jumpAt = Long.MAX_VALUE;
        }
        return now;
    }
}
