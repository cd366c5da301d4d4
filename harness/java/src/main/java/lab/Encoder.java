package lab;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/** Samples to a line of the log. Holds about 1 MB of histogram and buffers, so series share a few of them. */
final class Encoder {
    static final long LOWEST = 1;
    static final long HIGHEST = 3_600_000_000_000L;
    private static final int DIGITS = 3;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;

    private final Histogram histogram = new Histogram(LOWEST, HIGHEST, DIGITS);
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 12);
    private final PrintStream text = new PrintStream(bytes, false, StandardCharsets.ISO_8859_1);
    private final HistogramLogWriter writer = new HistogramLogWriter(text);
    private final long originNanos;

    /** Timestamps in the log count from {@code originNanos}. */
    Encoder(long originNanos) {
        this.originNanos = originNanos;
    }

    /** The line of the series' present iteration; {@code samples[0]} samples follow in {@code samples[1..]}. */
    synchronized byte[] encode(Series series, long[] samples) {
        histogram.reset();
        histogram.setTag(series.tag);
        int count = (int) samples[0];
        for (int i = 1; i <= count; i++) {
            long value = samples[i];
            // 0 is within one unit of the lowest value and has a bucket of its own.
            if (value < 0 || value > HIGHEST) {
                series.rejected(value);
            } else {
                histogram.recordValue(value);
            }
        }
        double start = (series.startNanos - originNanos) / NANOS_PER_SECOND;
        bytes.reset();
        writer.outputIntervalHistogram(start, start + series.elapsedNanos / NANOS_PER_SECOND, histogram,
            NANOS_PER_MILLI);
        text.flush();
        return bytes.toByteArray();
    }
}
