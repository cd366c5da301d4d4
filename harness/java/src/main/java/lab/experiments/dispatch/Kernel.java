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

    /**
     * The body of class 0 written into the loop: what is left when a call costs nothing. It is the same for every
     * number of classes, so that the floor can be drawn beside all of them.
     */
    static final class Inlined extends Kernel {
        @Override
        int callAll(int from) {
            int value = from;
            for (int i = from; i < from + BATCH; i++) {
                value = (value ^ Constants.MASK) * Constants.MULTIPLIER;
            }
            return value;
        }
    }

    /** {@link IndependentCalls} without a call: the body of class 0 written into the loop, once per chain. */
    static final class IndependentInlined extends Kernel {
        @Override
        int callAll(int from) {
            int a = from;
            int b = from + 1;
            int c = from + 2;
            int d = from + 3;
            int e = from + 4;
            int f = from + 5;
            int g = from + 6;
            int h = from + 7;
            for (int i = from; i < from + BATCH; i += CHAINS) {
                a = (a ^ Constants.MASK) * Constants.MULTIPLIER;
                b = (b ^ Constants.MASK) * Constants.MULTIPLIER;
                c = (c ^ Constants.MASK) * Constants.MULTIPLIER;
                d = (d ^ Constants.MASK) * Constants.MULTIPLIER;
                e = (e ^ Constants.MASK) * Constants.MULTIPLIER;
                f = (f ^ Constants.MASK) * Constants.MULTIPLIER;
                g = (g ^ Constants.MASK) * Constants.MULTIPLIER;
                h = (h ^ Constants.MASK) * Constants.MULTIPLIER;
            }
            return a + b + c + d + e + f + g + h;
        }
    }

    /** {@code invokeinterface}. */
    static final class Interface extends Kernel {
        private final IntOperation[] receivers;

        Interface(Receivers receivers) {
            this.receivers = receivers.as(IntOperation[].class);
        }

        @Override
        int callAll(int from) {
            IntOperation[] receivers = this.receivers;
            int value = from;
            for (int i = from; i < from + BATCH; i++) {
                value = receivers[i].map(value);
            }
            return value;
        }
    }

    /**
     * {@code invokeinterface} on {@link #CHAINS} values in turn: no call needs the result of the one before, so calls
     * overlap, and what is measured is the work a core can get through instead of the time it waits for a product. The
     * test of a class and the load of an object, which hide behind a dependent multiplication, then count.
     */
    static final class IndependentCalls extends Kernel {
        private final IntOperation[] receivers;

        IndependentCalls(Receivers receivers) {
            this.receivers = receivers.as(IntOperation[].class);
        }

        @Override
        int callAll(int from) {
            IntOperation[] receivers = this.receivers;
            int a = from;
            int b = from + 1;
            int c = from + 2;
            int d = from + 3;
            int e = from + 4;
            int f = from + 5;
            int g = from + 6;
            int h = from + 7;
            for (int i = from; i < from + BATCH; i += CHAINS) {
                a = receivers[i].map(a);
                b = receivers[i + 1].map(b);
                c = receivers[i + 2].map(c);
                d = receivers[i + 3].map(d);
                e = receivers[i + 4].map(e);
                f = receivers[i + 5].map(f);
                g = receivers[i + 6].map(g);
                h = receivers[i + 7].map(h);
            }
            return a + b + c + d + e + f + g + h;
        }
    }

    /** {@code invokevirtual}. */
    static final class Virtual extends Kernel {
        private final AbstractOperation[] receivers;

        Virtual(Receivers receivers) {
            this.receivers = receivers.as(AbstractOperation[].class);
        }

        @Override
        int callAll(int from) {
            AbstractOperation[] receivers = this.receivers;
            int value = from;
            for (int i = from; i < from + BATCH; i++) {
                value = receivers[i].map(value);
            }
            return value;
        }
    }
}
