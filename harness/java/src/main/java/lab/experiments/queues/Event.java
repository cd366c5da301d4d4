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
}
