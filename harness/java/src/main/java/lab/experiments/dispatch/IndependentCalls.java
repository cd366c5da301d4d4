package lab.experiments.dispatch;

/**
 * {@code invokeinterface} on {@link #CHAINS} values in turn: no call needs the result of the one before, so calls
 * overlap, and what is measured is the work a core can get through instead of the time it waits for a product. The
 * test of a class and the load of an object, which hide behind a dependent multiplication, then count.
 */
final class IndependentCalls extends Kernel {
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
