package lab.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import lab.VarHandles;

/**
 * What one consumer does with every event besides taking it: the known work, the check of its number and content, and
 * every {@code sample-every}-th time the clock. Kept by one thread at a time, and read by others between iterations;
 * but for {@link #handled()}, which the generator reads at any time.
 *
 * <p>Events are sampled in pairs, (i-1, i): the clock after the first one's work tells when the consumer was free for
 * the second. That and when it was sent is all that its service time needs ({@link Services}).
 */
public final class Receipts extends ReceiptsFields {
    private static final int PRODUCER_SHIFT = 40;
    private static final long INDEX = (1L << PRODUCER_SHIFT) - 1;

    long after0, after1, after2, after3, after4, after5, after6, after7;
    long after8, after9, afterA, afterB, afterC, afterD, afterE, afterF;

    /**
     * @param producers whose events come here
     * @param ordered   whether each producer's must come in order, and all of them
     * @param pairs     whether they are one producer's, handled one at a time in order, so that pairs tell the service
     * @param load      of the trial
     * @param work      the known work, or null
     */
    Receipts(int producers, boolean ordered, boolean pairs, Load load, Work work) {
        super(producers, ordered, pairs, load, work);
    }

    /** The part of an event's number that says whose it is. */
    static long tag(int producer) {
        return (long) producer << PRODUCER_SHIFT;
    }

    /** Whose event it is. */
    public static int producer(long number) {
        return (int) (number >>> PRODUCER_SHIFT);
    }

    /** Which of its producer's events in this iteration it is, from 0. */
    public static long index(long number) {
        return number & INDEX;
    }

    /**
     * Handles one event.
     *
     * @param number as sent
     * @param due    as sent; may be left over from another event where this one carries no times
     * @param sent   likewise
     * @return whether it was the last of the iteration
     */
    public boolean on(long number, long due, long sent) {
        if (number < 0) {
            return ended(due);
        }
        if (bare) {
            numbers += number;
            HANDLED.setRelease(this, handled + 1);
            return false;
        }
        if (work != null) {
            work.work(number);
        }
        if (forward != null) {
            forward.send(number, due, sent);
        }
        long index = index(number);
        int producer = producer(number);
        if (index != expected[MARGIN + producer]) {
            misplaced++;
        }
        expected[MARGIN + producer] = index + 1;
        numbers += index;
        long place = index & mask;
        if (stamped) {
            content += due;
            if (place == 0) {
                sample(index, due, sent);
            } else if (place == mask) {
                previous = System.nanoTime() - start;
            }
        } else if (place == 0) {
            full.add(atLeastZero(System.nanoTime() - start - sent));
        }
        HANDLED.setRelease(this, handled + 1);
        return false;
    }

    private void sample(long index, long due, long sent) {
        if (index >= stallAt) {
            stall();
        }
        long done = System.nanoTime() - start;
        long before = previous;
        previous = done; // where every event is sampled, it is the first of the next pair
        atDeadline(done);
        if (index < settled || index == 0) {
            return;
        }
        intended.add(atLeastZero(done - due));
        this.sent.add(atLeastZero(done - sent));
        if (pairs) {
            since.add(done - before);
        }
    }

    /** What was handled while the producers were still sending is the capacity, not what was left to take then. */
    private void atDeadline(long done) {
        if (done <= limit) {
            inTime = handled + 1;
            inTimeNanos = done;
        }
    }

    private void stall() {
        stallAt = Long.MAX_VALUE;
        long end = System.nanoTime() + stallNanos;
        for (long left = stallNanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted in a stall: another worker failed");
            }
        }
    }

    /** The clocks of two CPUs may differ by a little. */
    private long atLeastZero(long nanos) {
        if (nanos >= 0) {
            return nanos;
        }
        backward++;
        return 0;
    }

    private boolean ended(long events) {
        announced += Math.max(0, events);
        if (++ends < producers) {
            return false;
        }
        end = System.nanoTime();
        if (forward != null) {
            forward.send(Sender.END, announced, 0);
        }
        return true;
    }

    /** Hands every event on after it was handled, and the end mark. */
    public void forwardTo(Sender next) {
        forward = next;
    }

    /** Events handled in this iteration; another thread may ask. */
    public long handled() {
        return (long) HANDLED.getAcquire(this);
    }

    /** Says, before the trial, that this consumer counts its attempts that find no event: else none are told. */
    public void countsFailedPolls() {
        polls = true;
    }

    /**
     * Says, before the trial, that this consumer never sleeps, has a CPU of its own and looks for events until there is
     * one: their way to it keeps it from no other, and is told apart from their service.
     */
    public void staysAwake() {
        awake = true;
    }

    /**
     * Says, before the trial, that events are of one long, which is all that this consumer looks at: it adds it, as the
     * handlers of the published tests do, and the sum and the count are the check.
     */
    public void addsLongs() {
        bare = true;
    }

    /** Counts an attempt to take an event that found none. */
    public void failedPoll() {
        failedPolls++;
    }

    /** Counts those since the event before; those before the first of an iteration belong to none. */
    public void failedPolls(int attempts) {
        if (handled > 0) {
            failedPolls += attempts;
        }
    }

    /** A consumer that takes all there is at once begins to. */
    public void batchBegins() {
        batches.begins();
    }

    /**
     * It has handled them.
     *
     * @param events how many; 0: there were none
     * @param none   whether nothing was there after them
     */
    public void batchEnds(long events, boolean none) {
        batches.ends(events, none);
    }

    /** Where no end mark comes here, the iteration ended when the producers said so. */
    void endedBy(long producersEnd) {
        if (end == 0) {
            end = producersEnd;
        }
    }

    /** Events per second while the producers were sending; over all of the iteration where no sample tells. */
    double rate(long start) {
        return inTime > 0 ? 1e9 * inTime / inTimeNanos : 1e9 * handled / (end - start);
    }

    /** The next iteration: which events are sampled, how long it lasts, and where the consumer stalls. */
    void prepare(boolean stamped, long settled, long limit, long stallAt) {
        this.stamped = stamped;
        this.mask = (stamped ? sampleEvery : Pacer.FLOOD_EVERY) - 1;
        this.settled = settled;
        this.limit = limit;
        this.stallAt = stallAt;
        Arrays.fill(expected, 0);
        numbers = 0;
        content = 0;
        misplaced = 0;
        announced = 0;
        ends = 0;
        end = 0;
        previous = 0;
        inTime = 0;
        inTimeNanos = 0;
        backward = 0;
        failedPolls = 0;
        batches.clear();
        for (Samples each : new Samples[] {intended, sent, since, full}) {
            each.clear();
        }
        HANDLED.setRelease(this, 0L);
    }

    /** It starts then. */
    void opens(long start) {
        this.start = start;
    }
}

/** The state of {@link Receipts}, alone on its cache lines: its class has more padding behind it. */
abstract class ReceiptsFields extends Padding {
    static final VarHandle HANDLED =
            VarHandles.field(MethodHandles.lookup(), ReceiptsFields.class, "handled", long.class);
    /** Words of the array of expected numbers that stay unused at either end. */
    static final int MARGIN = 16;

    final int producers;
    final boolean ordered;
    final boolean pairs;
    final int sampleEvery;
    final long stallNanos;
    final Work work;
    /** Where an event goes after this consumer; null: nowhere. */
    Sender forward;
    /** By producer: the number that its next event must have. */
    final long[] expected;

    final Samples intended = new Samples();
    final Samples sent = new Samples();
    /** Of pairs of events, from the end of the first to that of the second. */
    final Samples since = new Samples();

    final Samples full = new Samples();
    final Batches batches = new Batches();

    /** Whether events are of one long, and nothing is done with them but to add it. */
    boolean bare;

    boolean stamped;
    long mask;
    long settled;
    long limit;
    long stallAt;
    long start;

    long handled;
    long numbers;
    long content;
    long misplaced;
    /** When the first of a pair was done. */
    long previous;
    /** Events handled until the deadline, as far as samples tell, and when the last of them was done. */
    long inTime;

    long inTimeNanos;
    long backward;
    /** Of a consumer that counts them; else nobody knows how many there are. */
    long failedPolls;

    boolean polls;
    /** Whether the consumer never sleeps. */
    boolean awake;
    /** End marks, and the events that they announce. */
    int ends;

    long announced;
    long end;

    ReceiptsFields(int producers, boolean ordered, boolean pairs, Load load, Work work) {
        this.producers = producers;
        this.ordered = ordered;
        this.pairs = pairs;
        this.work = work;
        sampleEvery = load.sampleEvery();
        stallNanos = load.stallMs() * 1_000_000L;
        expected = new long[producers + 2 * MARGIN];
    }
}
