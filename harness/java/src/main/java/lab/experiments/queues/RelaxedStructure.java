package lab.experiments.queues;

import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;
import org.jctools.queues.MessagePassingQueue;

/**
 * A queue of JCTools with relaxed offers, and as much as there is taken at once; both sides spin.
 *
 * @param slots  how many events the queue holds
 * @param most   events drained at once, at most
 * @param yields whether threads outnumber CPUs
 */
record RelaxedStructure(MessagePassingQueue<Event> queue, int slots, int most, boolean yields) implements Structure {
    @Override
    public Sender sender(int producer) {
        return new Offers(queue, new Events(2 * slots, Event.Timed::new), yields);
    }

    @Override
    public Receiver receiver(int consumer, Receipts receipts) {
        return new Draining(queue, most, receipts, yields);
    }

    @Override
    public long left() {
        return queue.size();
    }

    private static final class Offers extends Offering {
        private final MessagePassingQueue<Event> queue;
        private final Events events;

        Offers(MessagePassingQueue<Event> queue, Events events, boolean yields) {
            super(yields);
            this.queue = queue;
            this.events = events;
        }

        @Override
        public void send(long number, long due, long sent) {
            Event event = events.next(number, due, sent);
            for (int attempts = 0; !queue.relaxedOffer(event); attempts++) {
                refused(attempts, due);
            }
        }
    }

    private static final class Draining extends Batching implements MessagePassingQueue.Consumer<Event> {
        private final MessagePassingQueue<Event> queue;
        private final int most;

        Draining(MessagePassingQueue<Event> queue, int most, Receipts receipts, boolean yields) {
            super(receipts, yields);
            this.queue = queue;
            this.most = most;
        }

        @Override
        int take() {
            return queue.drain(this, most);
        }

        @Override
        boolean none(int taken) {
            return taken < most;
        }

        @Override
        public void accept(Event event) {
            on(event.number, event.due(), event.sent());
        }
    }
}
