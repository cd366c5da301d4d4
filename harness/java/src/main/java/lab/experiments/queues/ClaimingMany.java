package lab.experiments.queues;

import com.lmax.disruptor.RingBuffer;
import lab.load.Sender;

/** Claims several slots at once, and publishes them once all are written. */
final class ClaimingMany implements Sender {
    /** The number of a slot that was claimed and for which there was no event any more. */
    static final long NOTHING = -2;

    private final RingBuffer<Event> ring;
    private final int claim;
    private long first;
    private long next;
    private long last = -1;

    ClaimingMany(RingBuffer<Event> ring, int claim) {
        this.ring = ring;
        this.claim = claim;
    }

    @Override
    public void send(long number, long due, long sent) {
        if (number == END) {
            fill();
            claim(1);
        } else if (next > last) {
            claim(claim);
        }
        write(number, due, sent);
    }

    private void claim(int slots) {
        last = ring.next(slots);
        first = last - slots + 1;
        next = first;
    }

    private void write(long number, long due, long sent) {
        ring.get(next).set(number, due, sent);
        if (next == last) {
            ring.publish(first, last);
        }
        next++;
    }

    private void fill() {
        while (next <= last) {
            write(NOTHING, -1, -1);
        }
    }
}
