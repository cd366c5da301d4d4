package lab.experiments.dispatch;

/** {@code invokevirtual}. */
final class VirtualKernel extends Kernel {
    private final AbstractOperation[] receivers;

    VirtualKernel(Receivers receivers) {
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
