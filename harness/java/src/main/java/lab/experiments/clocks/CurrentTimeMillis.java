package lab.experiments.clocks;

/** {@link System#currentTimeMillis()}: wall-clock time, which may be set back. */
final class CurrentTimeMillis extends TimeSource {
    CurrentTimeMillis() {
        super(1_000_000, false);
    }

    @Override
    long read() {
        return System.currentTimeMillis();
    }
}
