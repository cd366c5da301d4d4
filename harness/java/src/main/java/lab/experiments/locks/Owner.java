package lab.experiments.locks;

/**
 * What one thread notices of who owns the lock. It is told of each of its increments; a trial loads one of the kinds
 * and no other, so that its calls are inlined without a question.
 */
abstract class Owner {
    /** An increment by this thread, from inside the lock; of an atomic counter, right after it. */
    abstract void entered(long count);

    /** A chunk of operations has ended, at that reading of the clock. */
    abstract void ended(long nanos);

    /** Notices nothing: with one thread there is nothing to see, and a compare would be a tenth of what is measured. */
    static final class Careless extends Owner {
        @Override
        void entered(long count) {}

        @Override
        void ended(long nanos) {}
    }
}
