package lab.load;

import java.util.function.LongSupplier;

/**
 * One producer's load generator: an open loop that spins to an absolute schedule. Falling behind is never forgiven:
 * nothing is skipped or re-based, all that is due is sent at once, and each event keeps its own due time. One reading
 * of the clock serves all that is due; a sampled event gets a fresh one, unless the last step was one. There is no
 * pause in the loop: reading the clock is one, and on some processors a pause would blur the arrivals by 50 ns.
 *
 * <p>The loop is a short method called again and again, so that it soon runs in code that was compiled as a whole: a
 * loop of milliseconds would begin each iteration in the interpreter.
 */
class Pacer extends Padding {
    /** Steps between looks at whether another worker has failed. */
    private static final int STEPS = 256;
    /** At load 0 an event in so many is stamped, and looks whether the iteration is over. */
    static final int FLOOD_EVERY = 1024;

    private static final long LOOK_LEAST = 8_000;
    private static final long LOOK_SPREAD = 24_000;

    final Sender sender;
    private final long tag;
    private final int mask;
    private final boolean yields;
    private final LongSupplier handled;
    private final SplitMix jitter;
    /** Actual sending of sampled events, less their due time. */
    final Samples late = new Samples();

    private long[] due;
    private int events;
    private int settled;
    private long limit;
    private long start;

    private long next;
    private long now;
    private long look;
    long occupancySum;
    long occupancySamples;
    /** When the end mark was away, as {@link System#nanoTime()} gave it. */
    long end;

    /**
     * @param producer    this one's number, part of its events' numbers
     * @param sampleEvery events per sampled one, a power of two
     * @param yields      whether threads outnumber CPUs
     * @param handled     how many events of this producer have been handled, read from another thread; null: unknown
     */
    Pacer(Sender sender, int producer, int sampleEvery, boolean yields, LongSupplier handled, long seed) {
        this.sender = sender;
        this.yields = yields;
        this.handled = handled;
        tag = Receipts.tag(producer);
        mask = sampleEvery - 1;
        jitter = new SplitMix(seed + producer);
    }

    /** The clock; a test has another. */
    long nanos() {
        return System.nanoTime();
    }

    /** The next iteration sends by this schedule. */
    final void prepare(Schedule schedule) {
        due = schedule.due;
        events = schedule.events;
        limit = schedule.limit;
        settled = limit == Long.MAX_VALUE ? schedule.settled() : 0;
        next = 0;
        occupancySum = 0;
        occupancySamples = 0;
        late.clear();
    }

    /** The iteration starts then. */
    final void opens(long start) {
        this.start = start;
        now = Long.MIN_VALUE;
        look = 0;
    }

    /** Sends by the schedule, then the end mark. */
    final void pace() {
        while (!paced()) {
            checkInterrupt();
        }
        finish();
    }

    /** Sends as fast as the other side takes it until the limit, then the end mark. */
    final void flood() {
        while (nanos() - start < 0) {
            checkInterrupt();
        }
        while (!flooded()) {
            checkInterrupt();
        }
        finish();
    }

    private static void checkInterrupt() {
        if (Thread.currentThread().isInterrupted()) {
            throw new IllegalStateException("interrupted: another worker failed");
        }
    }

    private void finish() {
        sender.send(Sender.END, next, nanos() - start);
        end = nanos();
    }

    /** A number of steps; whether they were the last. */
    private boolean paced() {
        long[] due = this.due;
        long i = next;
        long now = this.now;
        boolean over = false;
        boolean fresh = false;
        for (int step = 0; step < STEPS; step++) {
            if (i < events && due[(int) i] <= now) {
                if ((i & mask) == 0) {
                    now = fresh ? now : look(i);
                    if (now >= limit && i > 0) { // some are sent, however late it is
                        over = true;
                        break;
                    }
                    if (i >= settled) {
                        late.add(now - due[(int) i]);
                    }
                }
                sender.send(tag | i, due[(int) i], now);
                i++;
                fresh = false;
            } else if (i >= events && now >= 0) {
                over = true;
                break;
            } else {
                if (yields) {
                    Thread.yield();
                }
                now = look(i);
                fresh = true;
            }
        }
        next = i;
        this.now = now;
        return over;
    }

    /** Reads the clock, and about every 20 us how many events are on their way. */
    private long look(long i) {
        long now = nanos() - start;
        if (now >= look) {
            occupancy(i, now);
            look = now + LOOK_LEAST + ((jitter.next() >>> 32) * LOOK_SPREAD >>> 32);
        }
        return now;
    }

    /**
     * What the others count comes with a line of theirs, and while it comes nothing is sent: what falls due meanwhile
     * would be on its way, and counts, for a look must not keep away what it looks for.
     */
    private void occupancy(long i, long now) {
        if (handled != null && i > settled) {
            long handled = this.handled.getAsLong();
            occupancySum += i + fellDue(i, now, nanos() - start) - handled;
            occupancySamples++;
        }
    }

    /** How many of the events from this one on fell due then: none where it was due before, and is late. */
    private long fellDue(long first, long from, long to) {
        long next = first;
        if (next < events && due[(int) next] > from) {
            while (next < events && due[(int) next] <= to) {
                next++;
            }
        }
        return next - first;
    }

    private boolean flooded() {
        long i = next;
        for (int step = 0; step < STEPS; step++) {
            if ((i & (FLOOD_EVERY - 1)) == 0) {
                long now = nanos() - start;
                if (now >= limit && i > 0) { // likewise
                    next = i;
                    return true;
                }
                sender.send(tag | i, now, now);
            } else {
                sender.send(tag | i, -1, -1);
            }
            i++;
        }
        next = i;
        return false;
    }

    /** Events sent in this iteration. */
    final long sent() {
        return next;
    }
}
