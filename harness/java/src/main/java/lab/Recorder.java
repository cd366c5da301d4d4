package lab;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Everything a trial leaves: the histogram log, and the rows, measures and checks of the JSON. Not thread-safe: one
 * thread at a time calls it, ordered by a barrier or a join. Row k of the rows and line k of the log belong together.
 */
public final class Recorder {
    private static final int BUFFER = 1 << 16;

    private final Path out;
    private final Path part;
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    private final Encoder encoder;
    private final List<Series> series = new ArrayList<>();
    private final Map<String, List<Object>> rows =
            columns("iteration", "phase", "series", "start_ns", "elapsed_ns", "operations");
    private final Map<String, List<Object>> measures = columns("iteration", "series", "name", "value");
    private final List<Map<String, Object>> checks = new ArrayList<>();
    private final List<Map<String, Object>> pinning = new ArrayList<>();
    private final Set<Integer> compiled = new HashSet<>();
    private final Map<String, List<Object>> readings = columns("iteration", "thread", "chain_ns", "wide_ns", "word_ns");
    private Map<String, Object> runDelay;
    /** Whether every check so far passed. */
    boolean passed = true;

    /** Opens {@code out.part}; a {@link Failure} of status 5 if it cannot be written. */
    Recorder(Path out, Clock clock) {
        this.out = out;
        encoder = new Encoder(clock);
        part = out.resolveSibling(out.getFileName() + ".part");
        TemporaryFiles.track(part);
        try {
            channel = FileChannel.open(
                    part, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw unwritable(e);
        }
        write(Encoder.header(clock));
    }

    private static Map<String, List<Object>> columns(String... names) {
        Map<String, List<Object>> columns = new LinkedHashMap<>();
        for (String name : names) {
            columns.put(name, new ArrayList<>());
        }
        return columns;
    }

    /** Adds a row, its values in the order of the columns. */
    private static void add(Map<String, List<Object>> columns, Object... values) {
        int column = 0;
        for (List<Object> each : columns.values()) {
            each.add(values[column++]);
        }
    }

    private Failure unwritable(IOException cause) {
        return Failure.resource(
                "cannot write " + part + ": " + cause.getClass().getSimpleName() + " " + cause.getMessage());
    }

    /** A new series; its tag is the worker, direction or class it stands for, without commas or spaces. */
    public Series series(String tag) {
        Series added = new Series(tag, encoder);
        series.add(added);
        return added;
    }

    /** Ends an iteration of a series, as {@link Series#close}, and adds it: one row and one line. */
    public void append(Series series, int iteration, String phase, long startNanos, long endNanos, long operations) {
        series.close(iteration, phase, startNanos, endNanos, operations);
        add(rows, iteration, phase, series.tag, startNanos, series.elapsedNanos, operations);
        write(series.line);
    }

    /** The rows of an iteration, made or yet to be made, are of the phase {@link Phases#COMPILED} and of no other. */
    void compiled(int iteration) {
        compiled.add(iteration);
    }

    /** A named number of one iteration, or of the whole trial ({@code iteration} -1); {@code tag} may be empty. */
    public void measure(int iteration, String tag, String name, double value) {
        add(measures, iteration, tag, name, value);
    }

    /** As above, of no series. */
    public void measure(int iteration, String name, double value) {
        measure(iteration, "", name, value);
    }

    /** Where a thread was asked to run (null: anywhere) and may run; the workers come first. */
    public void pinned(int thread, Integer requested, int[] observed) {
        pinning.add(Json.object("thread", thread, "requested", requested, "observed", observed));
    }

    /**
     * How long the workers waited for a CPU in the measured phase, in nanoseconds. Without this call the JSON says that
     * nobody knows.
     *
     * @param processNanos CPU time that all threads of the process used meanwhile
     * @param wallNanos    length of that phase as each worker saw it
     * @param ranNanos     CPU time of each worker
     * @param delayNanos   of each worker, how long it could run and had no CPU
     */
    public void waited(long processNanos, List<Long> wallNanos, List<Long> ranNanos, List<Long> delayNanos) {
        runDelay = Json.object(
                "process_ns", processNanos, "wall_ns", wallNanos, "ran_ns", ranNanos, "run_delay_ns", delayNanos);
    }

    /**
     * What a worker read of the state of its CPU before an iteration, or after the last. Without this call the JSON
     * says that nobody read anything.
     *
     * @param wordNanos of the way to the next worker; null where there is none
     */
    void read(int iteration, int thread, double chainNanos, double wideNanos, Double wordNanos) {
        add(readings, iteration, thread, chainNanos, wideNanos, wordNanos);
    }

    /** A check of the experiment; it passes if both are equal as text. */
    public void check(String name, Object expected, Object actual) {
        boolean equal = expected.toString().equals(actual.toString());
        checks.add(Json.object(
                "name", name, "expected", expected.toString(), "actual", actual.toString(), "passed", equal));
        passed &= equal;
    }

    /** Adds the check every trial has: no sample outside the histogram's range. */
    void checkRange() {
        long outside = 0;
        String first = "";
        for (Series each : series) {
            if (each.outside > 0 && outside == 0) {
                first = ", the first " + each.firstOutside + " ns in series " + each.tag;
            }
            outside += each.outside;
        }
        check("samples outside " + Encoder.LOWEST + ".." + Encoder.HIGHEST + " ns", 0, outside + first);
    }

    /** The first failed check in words. */
    String failedCheck() {
        for (Map<String, Object> check : checks) {
            if (!(Boolean) check.get("passed")) {
                return check.get("name") + ": expected " + check.get("expected") + ", found " + check.get("actual");
            }
        }
        throw new IllegalStateException("all checks passed");
    }

    /** Adds {@code pinning}, {@code run_delay}, {@code readings}, the rows, {@code measures} and {@code checks}. */
    void describe(Map<String, Object> json) {
        json.put("pinning", pinning);
        json.put("run_delay", runDelay);
        json.put("readings", readings.get("iteration").isEmpty() ? null : readings);
        for (int i = 0; i < rows.get("iteration").size(); i++) {
            if (compiled.contains(rows.get("iteration").get(i))) {
                rows.get("phase").set(i, Phases.COMPILED);
            }
        }
        json.put("iterations", rows);
        json.put("measures", measures);
        json.put("checks", checks);
    }

    private void write(byte[] bytes) {
        if (buffer.remaining() < bytes.length) {
            drain();
        }
        if (bytes.length > buffer.capacity()) {
            drain(ByteBuffer.wrap(bytes));
        } else {
            buffer.put(bytes);
        }
    }

    private void drain() {
        drain(buffer.flip());
        buffer.clear();
    }

    private void drain(ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    /** Makes the log durable and gives it its name: a reader sees all of it or none. */
    void commit() {
        drain();
        try {
            channel.force(true);
            channel.close();
            Files.move(part, out, StandardCopyOption.ATOMIC_MOVE);
            TemporaryFiles.keep(part);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    /** Leaves nothing behind. */
    void discard() {
        try {
            channel.close();
            TemporaryFiles.remove(part);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }
}
