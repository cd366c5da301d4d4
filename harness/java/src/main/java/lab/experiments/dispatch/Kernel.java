package lab.experiments.dispatch;

/**
 * One call site in a loop. Each kernel has a loop of its own, for a shared one would share the type profile; and it is
 * called {@code callAll}, by which the logs of the compiler are searched.
 */
abstract class Kernel {
    /** Calls per batch; a divisor of the cycle's length. */
    static final int BATCH = 1024;

    /**
     * One batch of calls from a position of the cycle on. The first is given the position, each other the value of the
     * call before; the last value is returned.
     */
    abstract int callAll(int from);
}
