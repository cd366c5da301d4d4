package lab.experiments.queues;

import java.util.Queue;
import lab.load.Sender;

/** Offers an event until there is room for it. */
final class Offering implements Sender {
    private final Queue<Event> queue;
    private final Events events;
    private final boolean yields;
    private long full;
    private long refused;

    Offering(Queue<Event> queue, Events events, boolean yields) {
        this.queue = queue;
        this.events = events;
        this.yields = yields;
    }

    @Override
    public void send(long number, long due, long sent) {
        Event event = events.next(number, due, sent);
        if (queue.offer(event)) {
            return;
        }
        full += due >= 0 ? 1 : 0;
        int attempts = 0;
        do {
            refused++;
            Pause.after(attempts++, yields);
        } while (!queue.offer(event));
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
