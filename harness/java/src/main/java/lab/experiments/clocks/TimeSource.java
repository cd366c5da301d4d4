package lab.experiments.clocks;

/**
 * A clock to read. A trial loads one implementation only, so that the compiler sees a single target and inlines it:
 * the loops around it cost no call.
 */
abstract class TimeSource {
    /** Nanoseconds of one unit of {@link #read()}. */
    final long unitNanos;
    /** Whether it promises never to step back. */
    final boolean monotonic;

    TimeSource(long unitNanos, boolean monotonic) {
        this.unitNanos = unitNanos;
        this.monotonic = monotonic;
    }

    /** The time in the clock's own unit, from an origin of its own. */
    abstract long read();

    /** {@link System#nanoTime()}: CLOCK_MONOTONIC on Linux. */
    static final class NanoTime extends TimeSource {
        NanoTime() {
            super(1, true);
        }

        @Override
        long read() {
            return System.nanoTime();
        }
    }

    /** {@link System#currentTimeMillis()}: wall-clock time, which may be set back. */
    static final class CurrentTimeMillis extends TimeSource {
        CurrentTimeMillis() {
            super(1_000_000, false);
        }

        @Override
        long read() {
            return System.currentTimeMillis();
        }
    }
}
