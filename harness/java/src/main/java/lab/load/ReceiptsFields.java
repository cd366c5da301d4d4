package lab.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The state of {@link Receipts}, alone on its cache lines: its class has more padding behind it. */
abstract class ReceiptsFields extends Padding {
    static final VarHandle HANDLED;
    /** Words of the array of expected numbers that stay unused at either end. */
    static final int MARGIN = 16;

    static {
        try {
            HANDLED = MethodHandles.lookup().findVarHandle(ReceiptsFields.class, "handled", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

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
