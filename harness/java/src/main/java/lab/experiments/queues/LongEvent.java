package lab.experiments.queues;

/** One word, as in the Disruptor's own tests since 2011: a number to be added. */
final class LongEvent extends Event {
    @Override
    void set(long number, long due, long sent) {
        this.number = number;
    }

    @Override
    long due() {
        return -1;
    }

    @Override
    long sent() {
        return -1;
    }
}
