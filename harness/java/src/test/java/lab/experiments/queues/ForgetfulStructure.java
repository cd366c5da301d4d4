package lab.experiments.queues;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;

/** Its consumer sleeps until it is woken, and from some event on nobody wakes it: a lost wake-up. */
final class ForgetfulStructure implements Structure {
    private final Queue<Event> queue = new ConcurrentLinkedQueue<>();
    private final long wakes;
    private volatile Thread consumer;

    ForgetfulStructure(long wakes) {
        this.wakes = wakes;
    }

    @Override
    public Sender sender(int producer) {
        return (number, due, sent) -> {
            Event event = new Event.Timed();
            event.set(number, due, sent);
            queue.add(event);
            if (number >= 0 && number < wakes) {
                LockSupport.unpark(consumer);
            }
        };
    }

    @Override
    public Receiver receiver(int index, Receipts receipts) {
        return () -> {
            consumer = Thread.currentThread();
            Event event;
            do {
                while ((event = queue.poll()) == null) {
                    LockSupport.park();
                    if (Thread.currentThread().isInterrupted()) {
                        throw Pause.interrupted(null);
                    }
                }
            } while (!receipts.on(event.number, event.due(), event.sent()));
        };
    }

    @Override
    public long left() {
        return queue.size();
    }
}
