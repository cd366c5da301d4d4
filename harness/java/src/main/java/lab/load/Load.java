package lab.load;

import java.util.List;
import lab.Failure;
import lab.Parameter;
import lab.Parameters;
import lab.Phases;
import lab.Trial;

/**
 * The load of a trial as its parameters say.
 *
 * @param percent     of the capacity that the trial itself measures; 0: none, as fast as the other side takes it
 * @param rate        events per second, instead of a percentage; 0: none
 * @param uniform     evenly spaced arrivals instead of a Poisson process
 * @param seed        of the arrivals
 * @param sampleEvery events per sampled pair; 1: of every event the service is known
 * @param work        mean nanoseconds that handling an event takes, on top
 * @param exponential law of the work; else it is constant
 * @param stallMs     how long the consumer stalls, once, in the middle of the middle measured iteration
 */
public record Load(
        int percent,
        long rate,
        boolean uniform,
        long seed,
        int sampleEvery,
        int work,
        boolean exponential,
        int stallMs) {
    /** Phase: what the other side bears at most, before the measured iterations. */
    public static final String CAPACITY = "capacity";
    /** Phase: the same once more after them. */
    public static final String CAPACITY_AFTER = "capacity_after";

    private static final int MOST_PERCENT = 120;
    private static final int MOST_RATE = 1_000_000_000;
    private static final long SHORT_NANOS = 5_000_000;
    /** An iteration is borne if half of its events take no longer than this part of it, and ten times their work. */
    private static final double SOON = 1 / 25.0;

    private static final int WORKS = 10;

    /** What every experiment under load declares. */
    public static List<Parameter> parameters() {
        return List.of(
                Parameter.ofInt("load", 0, MOST_PERCENT, 0),
                Parameter.ofLong("rate", 0, MOST_RATE, 0),
                Parameter.choice("arrivals", "poisson", "uniform"),
                Parameter.ofLong("seed", 0, Long.MAX_VALUE, 1),
                Parameter.ofInt("sample-every", 1, 4096, 16),
                Parameter.ofInt("work", 0, 1_000_000, 0),
                Parameter.choice("work-kind", "constant", "exponential"),
                Parameter.ofInt("stall-ms", 0, 10_000, 0));
    }

    /** The load of a trial; a {@link Failure} of status 2 if its parameters contradict each other. */
    public static Load of(Trial trial) {
        Parameters given = trial.parameters();
        Load load = new Load(
                given.getInt("load"),
                given.getLong("rate"),
                given.getString("arrivals").equals("uniform"),
                given.getLong("seed"),
                given.getInt("sample-every"),
                given.getInt("work"),
                given.getString("work-kind").equals("exponential"),
                given.getInt("stall-ms"));
        if (load.percent > 0 && load.rate > 0) {
            throw given.refused("rate", "give it or --load " + load.percent + ", not both");
        }
        given.getPowerOfTwo("sample-every");
        if (load.stallMs > 0 && !load.paced()) {
            throw given.refused("stall-ms", "needs a --load or a --rate above 0");
        }
        if (load.rate * 1e-9 * trial.iterationNanos() > Schedule.MOST) {
            throw given.refused(
                    "rate",
                    "with --iteration-ms " + trial.iterationNanos() / 1_000_000 + " these are more than "
                            + Schedule.MOST + " events an iteration; lower either");
        }
        return load;
    }

    /** Whether events have a schedule, and carry their times. */
    public boolean paced() {
        return percent > 0 || rate > 0;
    }

    /** The iterations of the trial. */
    Phases phases(Trial trial) {
        if (!paced()) {
            return trial.phases();
        }
        Parameters given = trial.parameters();
        if (percent == 0) {
            // A rate is one whatever the other side could bear.
            return new Phases(
                    new Phases.Phase(Phases.WARMUP, given.getInt("warmup"), SHORT_NANOS),
                    new Phases.Phase(Phases.MEASURED, given.getInt("iterations"), trial.iterationNanos()));
        }
        return new Phases(
                new Phases.Phase(Phases.WARMUP, given.getInt("warmup"), SHORT_NANOS),
                new Phases.Phase(CAPACITY, Capacity.ITERATIONS, SHORT_NANOS),
                new Phases.Phase(Phases.MEASURED, given.getInt("iterations"), trial.iterationNanos()),
                new Phases.Phase(CAPACITY_AFTER, Capacity.AFTER, SHORT_NANOS));
    }

    /** Whether an iteration is borne whose median time from an event's due time to its end is that. */
    boolean bears(double nanos) {
        return nanos <= SOON * SHORT_NANOS + (double) WORKS * work;
    }

    /** How long an iteration may take beyond a schedule that the other side keeps up with, as a factor. */
    double overrun() {
        return Math.max(1, percent / 100.0);
    }
}
