package lab.experiments.queues;

import java.util.Queue;
import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;

/** A queue with offer and poll: both sides spin. */
final class PollingStructure implements Structure {
    private static final int POLLS = 256;

    private final Queue<Event> queue;
    private final int slots;
    private final boolean yields;

    /**
     * @param slots  how many events the queue holds
     * @param yields whether threads outnumber CPUs
     */
    PollingStructure(Queue<Event> queue, int slots, boolean yields) {
        this.queue = queue;
        this.slots = slots;
        this.yields = yields;
    }

    @Override
    public Sender sender(int producer) {
        return new Offers(queue, new Events(2 * slots), yields);
    }

    @Override
    public Receiver receiver(int consumer, Receipts receipts) {
        receipts.countsFailedPolls();
        return () -> {
            int[] failed = new int[1];
            while (!polled(receipts, failed)) {
                continue;
            }
        };
    }

    /** @param failed attempts in a row that found nothing */
    private boolean polled(Receipts receipts, int[] failed) {
        for (int i = 0; i < POLLS; i++) {
            Event event = queue.poll();
            if (event == null) {
                receipts.failedPoll();
                Pause.after(failed[0]++, yields);
            } else {
                failed[0] = 0;
                if (receipts.on(event.number, event.due, event.sent)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public long left() {
        return queue.size();
    }

    private static final class Offers extends Offering {
        private final Queue<Event> queue;
        private final Events events;

        Offers(Queue<Event> queue, Events events, boolean yields) {
            super(yields);
            this.queue = queue;
            this.events = events;
        }

        @Override
        public void send(long number, long due, long sent) {
            Event event = events.next(number, due, sent);
            for (int attempts = 0; !queue.offer(event); attempts++) {
                refused(attempts, due);
            }
        }
    }
}
