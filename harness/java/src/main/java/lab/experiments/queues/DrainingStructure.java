package lab.experiments.queues;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;

/** A queue of the runtime's: put, and on the other side all that there is at once; both sides sleep. */
final class DrainingStructure implements Structure {
    private static final int DRAINS = 64;

    private final BlockingStructure puts;
    private final BlockingQueue<Event> queue;
    private final int most;

    /** @param most events drained at once, at most */
    DrainingStructure(BlockingQueue<Event> queue, int slots, int most) {
        puts = new BlockingStructure(queue, Math.max(slots, Integer.highestOneBit(most) * 2), Event.Timed::new);
        this.queue = queue;
        this.most = most;
    }

    @Override
    public Sender sender(int producer) {
        return puts.sender(producer);
    }

    @Override
    public Receiver receiver(int consumer, Receipts receipts) {
        List<Event> taken = new ArrayList<>(most + 1);
        receipts.countsFailedPolls();
        return () -> {
            try {
                while (!drained(receipts, taken)) {
                    continue;
                }
            } catch (InterruptedException e) {
                throw Pause.interrupted(e);
            }
        };
    }

    private boolean drained(Receipts receipts, List<Event> taken) throws InterruptedException {
        boolean over = false;
        for (int i = 0; i < DRAINS && !over; i++) {
            receipts.batchBegins();
            queue.drainTo(taken, most);
            boolean none = taken.isEmpty();
            if (none) {
                receipts.failedPoll();
                taken.add(queue.take());
            }
            for (int at = 0; at < taken.size(); at++) {
                Event event = taken.get(at);
                over |= receipts.on(event.number, event.due(), event.sent());
            }
            // One that was waited for is no batch, and says that the one before it was followed by nothing.
            receipts.batchEnds(none ? 0 : taken.size(), queue.isEmpty());
            taken.clear();
        }
        return over;
    }

    @Override
    public long left() {
        return puts.left();
    }
}
