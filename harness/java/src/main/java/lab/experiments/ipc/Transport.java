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
}
