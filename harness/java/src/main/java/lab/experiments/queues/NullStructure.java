package lab.experiments.queues;

import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;

/** The generator alone: an event is written to lines of the producer's own, and nobody takes it. */
final class NullStructure implements Structure, Sender {
    private final Events events = new Events(1, Event.Timed::new);
    private long sum;
    private long announced;
    private long written;

    @Override
    public Sender sender(int producer) {
        return this;
    }

    @Override
    public void send(long number, long due, long sent) {
        Event event = events.next(number, due, sent);
        if (number < 0) {
            announced += due;
        } else {
            written++;
            sum += event.number;
        }
    }

    @Override
    public Receiver receiver(int consumer, Receipts receipts) {
        throw new IllegalStateException("nobody takes events of the generator alone");
    }

    /** Events announced and not written. */
    @Override
    public long left() {
        return announced - written;
    }
}
