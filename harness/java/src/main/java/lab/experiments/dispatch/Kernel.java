package lab.experiments.dispatch;

/**
 * One call site in a loop, or one per chain. Each kernel has a loop of its own, for a shared one would share the type
 * profile; and it is called {@code callAll}, by which the logs of the compiler are searched.
 */
abstract class Kernel {
    /** Calls per batch; a divisor of the cycle's length. */
    static final int BATCH = 1024;
    /** Chains of the kernels whose calls are independent: more than a multiplication takes cycles. */
    static final int CHAINS = 8;

    /**
     * One batch of calls from a position of the cycle on. Chain k of n makes the calls k, k + n, k + 2 n, ...: its
     * first is given the position plus k, each other the value of the chain's call before. Returned is the sum of the
     * chains' last values.
     */
    abstract int callAll(int from);
}
