package lab.experiments.queues;

/** Three words: a number, when it was due, and when it was sent. */
final class TimedEvent extends Event {
    private long due;
    private long sent;

    @Override
    void set(long number, long due, long sent) {
        this.number = number;
        if (due >= 0) {
            this.due = due;
            this.sent = sent;
        }
    }

    @Override
    long due() {
        return due;
    }

    @Override
    long sent() {
        return sent;
    }
}
