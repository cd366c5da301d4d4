package lab.experiments.queues;

import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;
import org.jctools.queues.MessagePassingQueue;

/** A queue of JCTools with relaxed offers, and as much as there is taken at once; both sides spin. */
final class RelaxedStructure implements Structure {
    private static final int DRAINS = 64;

    private final MessagePassingQueue<Event> queue;
    private final int slots;
    private final int most;
    private final boolean yields;

    /** @param most events drained at once, at most */
    RelaxedStructure(MessagePassingQueue<Event> queue, int slots, int most, boolean yields) {
        this.queue = queue;
        this.slots = slots;
        this.most = most;
        this.yields = yields;
    }

    @Override
    public Sender sender(int producer) {
        Events events = new Events(2 * slots);
        return (number, due, sent) -> {
            Event event = events.next(number, due, sent);
            for (int attempts = 0; !queue.relaxedOffer(event); attempts++) {
                Pause.after(attempts, yields);
            }
        };
    }

    @Override
    public Receiver receiver(int consumer, Receipts receipts) {
        Draining draining = new Draining(receipts);
        return () -> {
            draining.over = false;
            while (!drained(draining)) {
                continue;
            }
        };
    }

    private boolean drained(Draining draining) {
        for (int i = 0; i < DRAINS && !draining.over; i++) {
            draining.receipts.batchBegins();
            int taken = queue.drain(draining, most);
            draining.receipts.batchEnds(taken, taken < most);
            if (taken == 0) {
                draining.receipts.failedPoll();
                Pause.after(draining.failed++, yields);
            } else {
                draining.failed = 0;
            }
        }
        return draining.over;
    }

    @Override
    public long left() {
        return queue.size();
    }

    private static final class Draining implements MessagePassingQueue.Consumer<Event> {
        private final Receipts receipts;
        private int failed;
        private boolean over;

        Draining(Receipts receipts) {
            this.receipts = receipts;
        }

        @Override
        public void accept(Event event) {
            over |= receipts.on(event.number, event.due, event.sent);
        }
    }
}
