package lab.experiments.notify;

/** Its waiter dies at once. */
public final class FailingPair extends MonitorPair {
    public FailingPair(int notifies) {
        super(notifies, true);
    }

    @Override
    void receive() {
        throw new UnsupportedOperationException("no waiter");
    }
}
