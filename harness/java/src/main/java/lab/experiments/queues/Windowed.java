package lab.experiments.queues;

import lab.load.Receipts;
import lab.load.Sender;

/** Bounds a queue that has no bound: waits while as many events as there are to be slots have not been handled. */
final class Windowed extends Offering {
    private final Sender sender;
    private final Receipts receipts;
    private final int slots;
    private long handled;

    Windowed(Sender sender, Receipts receipts, int slots, boolean yields) {
        super(yields);
        this.sender = sender;
        this.receipts = receipts;
        this.slots = slots;
    }

    @Override
    public void send(long number, long due, long sent) {
        if (number == 0) {
            handled = 0;
        }
        if (number - handled >= slots) {
            await(number, due);
        }
        sender.send(number, due, sent);
    }

    private void await(long number, long due) {
        handled = receipts.handled();
        for (int attempts = 0; number - handled >= slots; attempts++) {
            refused(attempts, due);
            handled = receipts.handled();
        }
    }
}
