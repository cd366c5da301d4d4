package lab;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.Deflater;
import org.HdrHistogram.Histogram;

/**
 * Samples to a line of the log, for one thread at a time. Holds about 1 MB of buffers, so series share it.
 *
 * <p>The text is what org.HdrHistogram.HistogramLogWriter prints (a test compares them), made without it: that class
 * needs java.util.Formatter and Date, which load 300 classes, a third of the processor time of a short trial.
 */
final class Encoder {
    static final long LOWEST = 1;
    static final long HIGHEST = 3_600_000_000_000L;
    private static final int DIGITS = 3;
    private static final int NANOS_PER_MILLI = 1_000_000;

    private final Histogram histogram = new Histogram(LOWEST, HIGHEST, DIGITS);
    private final ByteBuffer compressed = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    private final Clock clock;

    /** Times in the log are seconds since the epoch, by the paired clocks. */
    Encoder(Clock clock) {
        this.clock = clock;
    }

    /** The comment lines a log begins with. */
    static byte[] header(Clock clock) {
        StringBuilder text = new StringBuilder("#[Histogram log format version 1.3]\n#[StartTime: ");
        thousandths(text, clock.epochMillis);
        text.append(" (seconds since epoch), ")
                .append(LocalDateTime.ofEpochSecond(clock.epochMillis / 1000, 0, ZoneOffset.UTC))
                .append("Z]\n")
                .append("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n");
        return ascii(text);
    }

    /**
     * The line of the series' present iteration; {@code samples[0]} samples follow in {@code samples[1..]}, and so many
     * pairs of a value and how often it counts in {@code repeated}.
     */
    byte[] encode(Series series, long[] samples, long[] repeated) {
        histogram.reset();
        for (int i = 1; i <= samples[0]; i++) {
            record(series, samples[i], 1);
        }
        for (int i = 1; i < 2 * repeated[0]; i += 2) {
            record(series, repeated[i], repeated[i + 1]);
        }
        long sinceClock = series.startNanos - clock.monotonicNanos;
        long startMillis = sinceClock / NANOS_PER_MILLI;
        long endMillis = (sinceClock + series.elapsedNanos) / NANOS_PER_MILLI;
        compressed.clear();
        int length = histogram.encodeIntoCompressedByteBuffer(compressed, Deflater.BEST_COMPRESSION);
        byte[] base64 = Base64.getEncoder().encode(Arrays.copyOf(compressed.array(), length));

        StringBuilder text = new StringBuilder(base64.length + 64)
                .append("Tag=")
                .append(series.tag)
                .append(',');
        thousandths(text, clock.epochMillis + startMillis);
        thousandths(text.append(','), endMillis - startMillis);
        // The maximum in milliseconds, rounded half up to whole microseconds.
        thousandths(text.append(','), (histogram.getMaxValue() + 500) / 1000);
        text.append(',').append(new String(base64, StandardCharsets.ISO_8859_1)).append('\n');
        return ascii(text);
    }

    private void record(Series series, long value, long times) {
        // 0 is within one unit of the lowest value and has a bucket of its own.
        if (value < 0 || value > HIGHEST) {
            series.rejected(value);
        } else {
            histogram.recordValueWithCount(value, times);
        }
    }

    /** A number of thousandths as a decimal with three places; not negative. */
    private static void thousandths(StringBuilder text, long value) {
        text.append(value / 1000).append('.');
        int places = (int) (value % 1000);
        text.append((char) ('0' + places / 100))
                .append((char) ('0' + places / 10 % 10))
                .append((char) ('0' + places % 10));
    }

    private static byte[] ascii(StringBuilder text) {
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }
}
