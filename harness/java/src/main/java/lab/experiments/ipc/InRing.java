package lab.experiments.ipc;

/**
 * How many messages were behind those that were sampled, over time: an integral, by trapezoids from when the first was
 * sent, and from sample to sample, and the nanoseconds that it is over. A mean over the samples would count a ring that
 * is being emptied, of which many come in a short time, more than one that lies full.
 */
final class InRing {
    private double behind;
    private long since;

    private double sum;
    private long over;

    void begin() {
        behind = 0;
        sum = 0;
        over = 0;
    }

    /** Of a message that was sent and taken then, as {@link System#nanoTime()} gave it, so many are behind. */
    void sample(double messages, long sent, long taken) {
        long nanos = taken - (over > 0 ? since : sent);
        sum += (behind + messages) / 2 * nanos;
        over += nanos;
        behind = messages;
        since = taken;
    }

    /** Messages times nanoseconds. */
    double sum() {
        return sum;
    }

    long over() {
        return over;
    }
}
