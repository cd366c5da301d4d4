package lab.experiments.dispatch;

/** {@code invokeinterface}. */
final class InterfaceKernel extends Kernel {
    private final IntOperation[] receivers;

    InterfaceKernel(Receivers receivers) {
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
