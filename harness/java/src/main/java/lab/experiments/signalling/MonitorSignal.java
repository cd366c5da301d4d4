package lab.experiments.signalling;

/**
 * One monitor with wait and notify. Both threads wait in the same set, but never at the same time: the one that
 * notifies is awake.
 */
final class MonitorSignal extends Signal {
    private final Object monitor = new Object();
    private final long[] numbers = new long[2];
    private long spurious;

    @Override
    void hand(int side, long number) {
        synchronized (monitor) {
            numbers[side] = number;
            monitor.notify();
        }
    }

    @Override
    long take(int side, long previous) throws InterruptedException {
        synchronized (monitor) {
            while (numbers[side] == previous) {
                monitor.wait();
                if (numbers[side] == previous) {
                    spurious++;
                }
            }
            return numbers[side];
        }
    }

    @Override
    long spurious() {
        return spurious;
    }
}
