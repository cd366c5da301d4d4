package lab.experiments.queues;

import com.lmax.disruptor.RingBuffer;
import lab.load.Sender;

/** Claims a slot, writes it, publishes it. */
final class Claiming implements Sender {
    private final RingBuffer<Event> ring;
    private long full;

    Claiming(RingBuffer<Event> ring) {
        this.ring = ring;
    }

    @Override
    public void send(long number, long due, long sent) {
        if (due >= 0 && !ring.hasAvailableCapacity(1)) {
            full++;
        }
        long sequence = ring.next();
        ring.get(sequence).set(number, due, sent);
        ring.publish(sequence);
    }

    @Override
    public long full() {
        return full;
    }
}
