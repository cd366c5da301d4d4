package lab.experiments.clocks;

/** {@link System#nanoTime()}: CLOCK_MONOTONIC on Linux. */
final class NanoTime extends TimeSource {
    NanoTime() {
        super(1, true);
    }

    @Override
    long read() {
        return System.nanoTime();
    }
}
