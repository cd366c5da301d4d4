package lab.experiments.ipc;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import lab.Failure;
import lab.Parameters;
import lab.Trial;

/**
 * What is asked of one end.
 *
 * @param ping        whether it sends and decides when an iteration is over; else it answers
 * @param pattern     {@code round_trip}, {@code stream} or {@code paced}
 * @param size        bytes of a message
 * @param capacity    bytes of a ring
 * @param rate        messages a second, paced
 * @param sampleEvery messages, or round trips, per sample
 * @param writesOf    messages of a write to a descriptor
 * @param hint        what every turn of a wait that spins does besides looking
 * @param dir         where files of the two ends are
 */
record Setup(
        Trial trial,
        boolean ping,
        String pattern,
        int size,
        int capacity,
        long rate,
        int sampleEvery,
        int writesOf,
        Spin.Hint hint,
        Path dir) {
    /** The ring whose consumer sleeps on a futex where it finds nothing. */
    static final String SLEEPER = "ring_futex";

    private static final String POLLED = "_spin";
    private static final int TRIPS_PER_SAMPLE = 16;
    private static final int MESSAGES_PER_SAMPLE = 64;

    /** Refuses what cannot be measured, and sets the parameters as they are taken. */
    static Setup of(Trial trial) {
        Parameters given = trial.parameters();
        String variant = trial.variant();
        trial.requireThreads(1, "must be 1: the ends are processes");
        String pattern = given.getString("pattern");
        checkEnds(trial, variant.equals("ring_solo"));
        checkPattern(variant, pattern, given);
        checkSizes(given, ring(variant), pattern);
        given.put("sample-every", (long) sampleEvery(given.getInt("sample-every"), variant, pattern));
        return new Setup(
                trial,
                variant.equals("ring_solo") || given.getString("role").equals("ping"),
                pattern,
                given.getInt("size"),
                given.getInt("capacity"),
                given.getLong("rate"),
                given.getInt("sample-every"),
                given.getInt("writes-of"),
                Spin.Hint.valueOf(given.getString("hint").toUpperCase(Locale.ROOT)),
                folder(given));
    }

    private static void checkEnds(Trial trial, boolean solo) {
        Parameters given = trial.parameters();
        int parts = trial.meeting().parts();
        if (solo && parts != 1) {
            throw Failure.argument("--variant", trial.variant(), "is one process, without --meet and --part");
        }
        if (!solo && parts != 2) {
            throw Failure.argument(
                    "--variant", trial.variant(), "is two processes; start both with --meet FILE --part 0/2 and 1/2");
        }
        if (!solo && !given.getString("ring").isEmpty()) {
            throw given.refused("ring", "only ring_solo takes a file that exists");
        }
    }

    private static void checkPattern(String variant, String pattern, Parameters given) {
        if (variant.equals("word") && !pattern.equals("round_trip")) {
            throw given.refused("pattern", "must be round_trip for word, which has no messages");
        }
        if (variant.equals("ring_solo") && !pattern.equals("stream")) {
            throw given.refused("pattern", "must be stream for ring_solo, which has one end");
        }
        if (given.getInt("writes-of") > 1 && (ring(variant) || !pattern.equals("stream"))) {
            throw given.refused(
                    "writes-of", "must be 1: only a stream through pipe, unix or tcp writes several messages at once");
        }
    }

    private static boolean ring(String variant) {
        return variant.startsWith("ring") || variant.equals("agrona");
    }

    private static void checkSizes(Parameters given, boolean ring, String pattern) {
        int size = given.getInt("size");
        if (!Message.possible(size)) {
            throw given.refused(
                    "size", "must be " + Message.SMALL + ", or " + Message.FIVE_WORDS + " and a multiple of 8");
        }
        if (size == Message.SMALL && pattern.equals("paced")) {
            throw given.refused("size", "has no room for the time that paced sends");
        }
        int capacity = given.getPowerOfTwo("capacity");
        if (ring && size > Ring.most(capacity)) {
            throw given.refused(
                    "size",
                    "must be at most " + Ring.most(capacity) + ", an eighth of --capacity " + capacity + " less 8");
        }
    }

    /** Where a sample costs little beside what it is of, all are; 0 asks for that. */
    private static int sampleEvery(int given, String variant, String pattern) {
        if (pattern.equals("paced")) {
            return 1;
        }
        if (given > 0) {
            return given;
        }
        if (pattern.equals("stream")) {
            return MESSAGES_PER_SAMPLE;
        }
        boolean spins = ring(variant) && !variant.equals(SLEEPER) || variant.equals("word");
        return spins ? TRIPS_PER_SAMPLE : 1;
    }

    private static Path folder(Parameters given) {
        try {
            Path folder = Path.of(given.getString("dir"));
            if (Files.isDirectory(folder)) {
                return folder;
            }
        } catch (InvalidPathException e) {
            throw given.refused("dir", "is not a file name");
        }
        throw given.refused("dir", "must be an existing directory");
    }

    /** Whether an end that finds its ring empty sleeps. */
    boolean sleeps() {
        return trial.variant().equals(SLEEPER);
    }

    /** Whether neither end of a link through the kernel ever sleeps. */
    boolean polled() {
        return trial.variant().endsWith(POLLED);
    }

    /** The link through the kernel, polled or not. */
    String link() {
        String variant = trial.variant();
        return polled() ? variant.substring(0, variant.length() - POLLED.length()) : variant;
    }

    /** Whether this end receives: both do in a round trip, and who is alone. */
    boolean receives() {
        return !ping || pattern.equals("round_trip") || trial.meeting().parts() == 1;
    }

    /** Whether messages go through a ring. */
    boolean overRings() {
        return ring(trial.variant());
    }

    /** 0 for ping, 1 for pong: of words of the meeting page that each has. */
    int index() {
        return ping ? 0 : 1;
    }

    /** Whether a time fits into a message. */
    boolean timed() {
        return size > Message.SMALL;
    }
}
