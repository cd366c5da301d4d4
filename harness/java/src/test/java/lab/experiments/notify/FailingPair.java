package lab.experiments.notify;

/** Its waiter dies at once. */
final class FailingPair extends MonitorPair {
    @Override
    void receive() {
        throw new UnsupportedOperationException("no waiter");
    }
}
