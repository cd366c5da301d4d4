package lab.experiments.queues;

import java.util.concurrent.BlockingQueue;
import java.util.function.Supplier;
import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;

/**
 * A queue of the runtime's with put and take: both sides sleep.
 *
 * @param slots how many events the queue holds
 * @param made  a new event
 */
record BlockingStructure(BlockingQueue<Event> queue, int slots, Supplier<Event> made) implements Structure {
    /** Takes between two returns to the loop around them, which makes them code that is compiled as a whole. */
    private static final int TAKES = 256;

    @Override
    public Sender sender(int producer) {
        Events events = new Events(2 * slots, made);
        return (number, due, sent) -> {
            try {
                queue.put(events.next(number, due, sent));
            } catch (InterruptedException e) {
                throw Pause.interrupted(e);
            }
        };
    }

    @Override
    public Receiver receiver(int consumer, Receipts receipts) {
        return () -> {
            try {
                while (!taken(receipts)) {
                    continue;
                }
            } catch (InterruptedException e) {
                throw Pause.interrupted(e);
            }
        };
    }

    private boolean taken(Receipts receipts) throws InterruptedException {
        for (int i = 0; i < TAKES; i++) {
            Event event = queue.take();
            if (receipts.on(event.number, event.due(), event.sent())) {
                return true;
            }
        }
        return false;
    }

    @Override
    public long left() {
        return queue.size();
    }
}
