package lab.experiments.queues;

import java.util.function.Supplier;
import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;

/**
 * A topology of queues, each between one thread and the next: a ring that all see is one structure for all, but a queue
 * gives an event to one consumer only.
 */
final class Composed implements Structure {
    private final Topology topology;
    private final Structure[] parts;

    /** @param part a queue between one thread and one other */
    Composed(Topology topology, Supplier<Structure> part) {
        this.topology = topology;
        parts = new Structure[topology.consumers];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = part.get();
        }
    }

    @Override
    public Sender sender(int producer) {
        if (topology == Topology.PIPELINE) {
            return parts[0].sender(producer);
        }
        Sender[] senders = new Sender[parts.length];
        for (int i = 0; i < parts.length; i++) {
            senders[i] = parts[i].sender(producer);
        }
        return (number, due, sent) -> {
            for (Sender each : senders) {
                each.send(number, due, sent);
            }
        };
    }

    @Override
    public Receiver receiver(int consumer, Receipts receipts) {
        if (topology == Topology.PIPELINE && consumer + 1 < parts.length) {
            receipts.forwardTo(parts[consumer + 1].sender(0));
        }
        return parts[consumer].receiver(0, receipts);
    }

    @Override
    public long left() {
        long left = 0;
        for (Structure part : parts) {
            left += part.left();
        }
        return left;
    }
}
