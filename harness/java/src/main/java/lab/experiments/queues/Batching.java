package lab.experiments.queues;

import lab.load.Receipts;
import lab.load.Receiver;

/**
 * Takes as much at once as there is, and spins when there is nothing. In a process all consumers are of the one
 * subclass that the variant has, so its calls are bound as if they stood here.
 */
abstract class Batching implements Receiver {
    /** Attempts between two returns to the loop around them, which makes them code that is compiled as a whole. */
    private static final int ATTEMPTS = 64;

    private final Receipts receipts;
    private final boolean yields;
    private int failed;
    private boolean over;

    /** @param yields whether threads outnumber CPUs */
    Batching(Receipts receipts, boolean yields) {
        this.receipts = receipts;
        this.yields = yields;
        receipts.countsFailedPolls();
    }

    /** Takes what there is, up to a limit, and calls {@link #on} with each; how many. */
    abstract int take();

    /** Whether nothing was there any more after a batch of that many. */
    abstract boolean none(int taken);

    final void on(long number, long due, long sent) {
        over |= receipts.on(number, due, sent);
    }

    @Override
    public final void receive() {
        over = false;
        while (!taken()) {
            continue;
        }
    }

    private boolean taken() {
        for (int i = 0; i < ATTEMPTS && !over; i++) {
            receipts.batchBegins();
            int taken = take();
            receipts.batchEnds(taken, none(taken));
            if (taken == 0) {
                receipts.failedPoll();
                Pause.after(failed++, yields);
            } else {
                failed = 0;
            }
        }
        return over;
    }
}
