package lab.experiments.queues;

import java.util.function.Supplier;
import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;

/**
 * No structure: the producer writes each event and calls the handler with it. What is no faster than this has the
 * handler for its limit, and says nothing of what lies between two threads.
 */
final class HandlerAlone implements Structure {
    private static final int EVENTS = 64;

    private final Events events;
    private Receipts receipts;

    HandlerAlone(Supplier<Event> made) {
        events = new Events(EVENTS, made);
    }

    @Override
    public Sender sender(int producer) {
        return (number, due, sent) -> {
            if (number < 0) {
                receipts.on(number, due, sent);
            } else {
                Event event = events.next(number, due, sent);
                receipts.on(event.number, event.due(), event.sent());
            }
        };
    }

    /** Nobody to run: the producer calls these receipts. */
    @Override
    public Receiver receiver(int consumer, Receipts receipts) {
        this.receipts = receipts;
        return null;
    }

    @Override
    public long left() {
        return 0;
    }
}
