package lab.experiments.queues;

import java.util.Queue;
import java.util.function.Supplier;
import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;
import lab.load.Work;

/**
 * A queue with offer and poll, which both sides call again and again. That alone is no spinning: where {@code poll}
 * takes a lock, a consumer that polls holds it nearly always, and the producer sleeps before it. A pause between two
 * polls that found nothing leaves the lock to the other side.
 *
 * @param slots  how many events the queue holds
 * @param yields whether threads outnumber CPUs
 * @param made   a new event
 * @param pause  what the consumer does after a poll that found nothing; null: it polls again
 */
record PollingStructure(Queue<Event> queue, int slots, boolean yields, Supplier<Event> made, Work pause)
        implements Structure {
    private static final int POLLS = 256;

    @Override
    public Sender sender(int producer) {
        return new Offers(queue, new Events(2 * slots, made), yields);
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
                if (pause != null) {
                    pause.work(0);
                }
            } else {
                failed[0] = 0;
                if (receipts.on(event.number, event.due(), event.sent())) {
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
