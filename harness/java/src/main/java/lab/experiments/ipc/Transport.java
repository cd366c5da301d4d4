package lab.experiments.ipc;

/** One end's two directions. A trial loads one subclass only, so that its methods are inlined into the patterns. */
abstract class Transport {
    final Outgoing out;
    final Incoming in;
    private final InRing inRing = new InRing();
    private Spin offers;
    private Spin polls;

    Transport(Outgoing out, Incoming in) {
        this.out = out;
        this.in = in;
    }

    /** What counts the waits of this end, also those inside an offer or a poll. */
    final void waits(Spin offers, Spin polls) {
        this.offers = offers;
        this.polls = polls;
    }

    final Spin offers() {
        return offers;
    }

    final Spin polls() {
        return polls;
    }
    /** Whether a ring that was full has room again, enough for many messages. */
    boolean roomy() {
        return true;
    }

    /** Sends the next message as {@link Outgoing#write} has it; false: there is no room. */
    abstract boolean offer(int kind, long time);

    /** Takes as many messages as there are, and at most so many; how many. */
    abstract int poll(int most);

    /** Whether it is a ring, of which can be seen what is in it. */
    abstract boolean ring();

    /** Whether nothing is on its way, either way. */
    abstract boolean drained();

    /** How many messages are behind the one last taken, over time. */
    final InRing inRing() {
        return inRing;
    }

    /**
     * How many messages were behind those that were sampled, over time: an integral, by trapezoids from when the first
     * was sent, and from sample to sample, and the nanoseconds that it is over. A mean over the samples would count a
     * ring that is being emptied, of which many come in a short time, more than one that lies full.
     */
    static final class InRing {
        private double behind;
        private long since;

        /** Messages times nanoseconds. */
        double sum;

        long over;

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
    }
}
