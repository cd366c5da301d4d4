package lab.experiments.notify;

/** Never sends the third number. */
final class LosingPair extends MonitorPair {
    private static final long THIRD = 3;

    @Override
    void send(long sequence) {
        if (sequence == THIRD) {
            record(0, 0);
        } else {
            super.send(sequence);
        }
    }

    @Override
    void asleep() {
        // The third number is never in the slot.
    }
}
