package lab.experiments.dispatch;

/**
 * {@code invokeinterface} with 0 to 6 arguments besides the value. Argument k of the call at position i is i + k, so
 * that every one has to be put into its register (or, from the fifth on, onto the stack) anew for every call.
 */
final class ArgumentKernels {
    static final int MOST = 6;

    private ArgumentKernels() {}

    /** What the arguments of the call at a position add up to. */
    static int sum(int arguments, int position) {
        int sum = 0;
        for (int k = 0; k < arguments; k++) {
            sum += position + k;
        }
        return sum;
    }

    static Kernel of(int arguments, Receivers receivers) {
        return switch (arguments) {
            case 0 -> new Kernel0(receivers.as(With0[].class));
            case 1 -> new Kernel1(receivers.as(With1[].class));
            case 2 -> new Kernel2(receivers.as(With2[].class));
            case 3 -> new Kernel3(receivers.as(With3[].class));
            case 4 -> new Kernel4(receivers.as(With4[].class));
            case 5 -> new Kernel5(receivers.as(With5[].class));
            case 6 -> new Kernel6(receivers.as(With6[].class));
            default -> throw new IllegalArgumentException("no kernel with " + arguments + " arguments");
        };
    }

    /** The call site's interface. */
    public interface With0 {
        int map(int value);
    }

    private static final class Kernel0 extends Kernel {
        private final With0[] receivers;

        Kernel0(With0[] receivers) {
            this.receivers = receivers;
        }

        @Override
        int callAll(int from) {
            With0[] receivers = this.receivers;
            int value = from;
            for (int i = from; i < from + BATCH; i++) {
                value = receivers[i].map(value);
            }
            return value;
        }
    }

    /** The call site's interface. */
    public interface With1 {
        int map(int value, int a);
    }

    private static final class Kernel1 extends Kernel {
        private final With1[] receivers;

        Kernel1(With1[] receivers) {
            this.receivers = receivers;
        }

        @Override
        int callAll(int from) {
            With1[] receivers = this.receivers;
            int value = from;
            for (int i = from; i < from + BATCH; i++) {
                value = receivers[i].map(value, i);
            }
            return value;
        }
    }

    /** The call site's interface. */
    public interface With2 {
        int map(int value, int a, int b);
    }

    private static final class Kernel2 extends Kernel {
        private final With2[] receivers;

        Kernel2(With2[] receivers) {
            this.receivers = receivers;
        }

        @Override
        int callAll(int from) {
            With2[] receivers = this.receivers;
            int value = from;
            for (int i = from; i < from + BATCH; i++) {
                value = receivers[i].map(value, i, i + 1);
            }
            return value;
        }
    }

    /** The call site's interface. */
    public interface With3 {
        int map(int value, int a, int b, int c);
    }

    private static final class Kernel3 extends Kernel {
        private final With3[] receivers;

        Kernel3(With3[] receivers) {
            this.receivers = receivers;
        }

        @Override
        int callAll(int from) {
            With3[] receivers = this.receivers;
            int value = from;
            for (int i = from; i < from + BATCH; i++) {
                value = receivers[i].map(value, i, i + 1, i + 2);
            }
            return value;
        }
    }

    /** The call site's interface. */
    public interface With4 {
        int map(int value, int a, int b, int c, int d);
    }

    private static final class Kernel4 extends Kernel {
        private final With4[] receivers;

        Kernel4(With4[] receivers) {
            this.receivers = receivers;
        }

        @Override
        int callAll(int from) {
            With4[] receivers = this.receivers;
            int value = from;
            for (int i = from; i < from + BATCH; i++) {
                value = receivers[i].map(value, i, i + 1, i + 2, i + 3);
            }
            return value;
        }
    }

    /** The call site's interface. */
    public interface With5 {
        int map(int value, int a, int b, int c, int d, int e);
    }

    private static final class Kernel5 extends Kernel {
        private final With5[] receivers;

        Kernel5(With5[] receivers) {
            this.receivers = receivers;
        }

        @Override
        int callAll(int from) {
            With5[] receivers = this.receivers;
            int value = from;
            for (int i = from; i < from + BATCH; i++) {
                value = receivers[i].map(value, i, i + 1, i + 2, i + 3, i + 4);
            }
            return value;
        }
    }

    /** The call site's interface. */
    public interface With6 {
        int map(int value, int a, int b, int c, int d, int e, int f);
    }

    private static final class Kernel6 extends Kernel {
        private final With6[] receivers;

        Kernel6(With6[] receivers) {
            this.receivers = receivers;
        }

        @Override
        int callAll(int from) {
            With6[] receivers = this.receivers;
            int value = from;
            for (int i = from; i < from + BATCH; i++) {
                value = receivers[i].map(value, i, i + 1, i + 2, i + 3, i + 4, i + 5);
            }
            return value;
        }
    }
}
