package lab.experiments.queues;

/**
 * What is passed on, written by the producer that owns it while nobody else has it. A process loads one of its
 * subclasses, by the parameter {@code event}, so that calls are bound as if there were no other.
 */
abstract class Event {
    long number;

    /** An event without times leaves those of the one before, and only its number is written. */
    abstract void set(long number, long due, long sent);

    /** As sent; -1 where an event has no room for it. */
    abstract long due();

    /** As sent; -1 likewise. */
    abstract long sent();

    /** One word, as in the Disruptor's own tests since 2011: a number to be added. */
    static final class OfLong extends Event {
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

    /** Three words: a number, when it was due, and when it was sent. */
    static final class Timed extends Event {
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
}
