package lab.experiments.queues;

import java.util.function.Function;
import java.util.function.UnaryOperator;
import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;

/** A structure with another sender or receiver than its own: what is wrong with it. */
record Twin(Structure structure, UnaryOperator<Sender> sender, Function<Receipts, Receiver> receiver)
        implements Structure {
    /** Wrong on the producer's side. */
    static Structure sending(Structure structure, UnaryOperator<Sender> sender) {
        return new Twin(structure, sender, null);
    }

    /** Wrong on the consumer's side. */
    static Structure receiving(Structure structure, Function<Receipts, Receiver> receiver) {
        return new Twin(structure, UnaryOperator.identity(), receiver);
    }

    @Override
    public Sender sender(int producer) {
        return sender.apply(structure.sender(producer));
    }

    @Override
    public Receiver receiver(int consumer, Receipts receipts) {
        return receiver == null ? structure.receiver(consumer, receipts) : receiver.apply(receipts);
    }

    @Override
    public long left() {
        return structure.left();
    }

    /** Loses the event of that number. */
    static Sender losing(Sender sender, long wrong) {
        return (number, due, sent) -> {
            if (number != wrong) {
                sender.send(number, due, sent);
            }
        };
    }

    /** Sends the event of that number twice. */
    static Sender doubling(Sender sender, long wrong) {
        return (number, due, sent) -> {
            sender.send(number, due, sent);
            if (number == wrong) {
                sender.send(number, due, sent);
            }
        };
    }

    /** Sends the event of that number after the next. */
    static Sender swapping(Sender sender, long wrong) {
        long[] kept = new long[2];
        return (number, due, sent) -> {
            if (number == wrong) {
                kept[0] = due;
                kept[1] = sent;
                return;
            }
            sender.send(number, due, sent);
            if (number == wrong + 1) {
                sender.send(wrong, kept[0], kept[1]);
            }
        };
    }

    /** Changes when the event of that number was due. */
    static Sender forging(Sender sender, long wrong) {
        return (number, due, sent) -> sender.send(number, number == wrong ? due + 1 : due, sent);
    }

    /** Fails at the event of that number. */
    static Sender dying(Sender sender, long wrong) {
        return (number, due, sent) -> {
            if (number == wrong) {
                throw new IllegalStateException("on purpose");
            }
            sender.send(number, due, sent);
        };
    }
}
