package lab.experiments.locks;

/**
 * What one thread notices of who owns the lock. It is told of each of its increments; a trial loads one of the kinds
 * and no other, so that its calls are inlined without a question.
 */
abstract class Owner {
    /**
     * An increment by this thread, from inside the lock; of an atomic counter, right after it.
     *
     * @param count before it
     * @param next  what this returned of the thread's increment before, -1 at first. A local variable of the loop:
     *              a field would be one store more in every critical section
     * @return the count that the thread finds if nobody else is in between
     */
    abstract long entered(long count, long next);

    /** A chunk of operations has ended, at that reading of the clock. */
    abstract void ended(long nanos, long next);

    /** Notices nothing: with one thread there is nothing to see, and a compare would be a tenth of what is measured. */
    static final class Careless extends Owner {
        @Override
        long entered(long count, long next) {
            return next;
        }

        @Override
        void ended(long nanos, long next) {}
    }
}
