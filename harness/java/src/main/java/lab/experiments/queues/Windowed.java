package lab.experiments.queues;

import lab.load.Receipts;
import lab.load.Sender;

/** Bounds a queue that has no bound: waits while as many events as there are to be slots have not been handled. */
final class Windowed implements Sender {
    private final Sender sender;
    private final Receipts receipts;
    private final int slots;
    private final boolean yields;
    private long handled;
    private long full;
    private long refused;

    Windowed(Sender sender, Receipts receipts, int slots, boolean yields) {
        this.sender = sender;
        this.receipts = receipts;
        this.slots = slots;
        this.yields = yields;
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
        if (number - handled < slots) {
            return;
        }
        full += due >= 0 ? 1 : 0;
        int attempts = 0;
        do {
            refused++;
            Pause.after(attempts++, yields);
            handled = receipts.handled();
        } while (number - handled >= slots);
    }

    @Override
    public long full() {
        return full;
    }

    @Override
    public long refused() {
        return refused;
    }
}
