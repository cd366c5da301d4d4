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
            case 0 -> of(receivers.as(With0[].class));
            case 1 -> of(receivers.as(With1[].class));
            case 2 -> of(receivers.as(With2[].class));
            case 3 -> of(receivers.as(With3[].class));
            case 4 -> of(receivers.as(With4[].class));
            case 5 -> of(receivers.as(With5[].class));
            case 6 -> of(receivers.as(With6[].class));
            default -> throw new IllegalArgumentException("no kernel with " + arguments + " arguments");
        };
    }

    /** The call site's interface. */
    public interface With0 {
        int map(int value);
    }

    private static Kernel of(With0[] receivers) {
        return new Kernel() {
            @Override
            int callAll(int from) {
                With0[] called = receivers;
                int value = from;
                for (int i = from; i < from + BATCH; i++) {
                    value = called[i].map(value);
                }
                return value;
            }
        };
    }

    /** The call site's interface. */
    public interface With1 {
        int map(int value, int a);
    }

    private static Kernel of(With1[] receivers) {
        return new Kernel() {
            @Override
            int callAll(int from) {
                With1[] called = receivers;
                int value = from;
                for (int i = from; i < from + BATCH; i++) {
                    value = called[i].map(value, i);
                }
                return value;
            }
        };
    }

    /** The call site's interface. */
    public interface With2 {
        int map(int value, int a, int b);
    }

    private static Kernel of(With2[] receivers) {
        return new Kernel() {
            @Override
            int callAll(int from) {
                With2[] called = receivers;
                int value = from;
                for (int i = from; i < from + BATCH; i++) {
                    value = called[i].map(value, i, i + 1);
                }
                return value;
            }
        };
    }

    /** The call site's interface. */
    public interface With3 {
        int map(int value, int a, int b, int c);
    }

    private static Kernel of(With3[] receivers) {
        return new Kernel() {
            @Override
            int callAll(int from) {
                With3[] called = receivers;
                int value = from;
                for (int i = from; i < from + BATCH; i++) {
                    value = called[i].map(value, i, i + 1, i + 2);
                }
                return value;
            }
        };
    }

    /** The call site's interface. */
    public interface With4 {
        int map(int value, int a, int b, int c, int d);
    }

    private static Kernel of(With4[] receivers) {
        return new Kernel() {
            @Override
            int callAll(int from) {
                With4[] called = receivers;
                int value = from;
                for (int i = from; i < from + BATCH; i++) {
                    value = called[i].map(value, i, i + 1, i + 2, i + 3);
                }
                return value;
            }
        };
    }

    /** The call site's interface. */
    public interface With5 {
        int map(int value, int a, int b, int c, int d, int e);
    }

    private static Kernel of(With5[] receivers) {
        return new Kernel() {
            @Override
            int callAll(int from) {
                With5[] called = receivers;
                int value = from;
                for (int i = from; i < from + BATCH; i++) {
                    value = called[i].map(value, i, i + 1, i + 2, i + 3, i + 4);
                }
                return value;
            }
        };
    }

    /** The call site's interface. */
    public interface With6 {
        int map(int value, int a, int b, int c, int d, int e, int f);
    }

    private static Kernel of(With6[] receivers) {
        return new Kernel() {
            @Override
            int callAll(int from) {
                With6[] called = receivers;
                int value = from;
                for (int i = from; i < from + BATCH; i++) {
                    value = called[i].map(value, i, i + 1, i + 2, i + 3, i + 4, i + 5);
                }
                return value;
            }
        };
    }
}
