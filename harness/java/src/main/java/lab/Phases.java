package lab;

import java.util.ArrayList;
import java.util.List;

/**
 * The iterations of a trial in order: stretches of them that have a name and a length of their own. One may be
 * lengthened while the trial runs; who asks meanwhile is ordered by the barrier.
 */
public final class Phases {
    /** The phase of the iterations before the trial counts. */
    public static final String WARMUP = "warmup";
    /** The phase in which context switches are counted and that the pipeline takes where nothing else is said. */
    public static final String MEASURED = "measured";
    /** The phase of iterations after the warm-up in which something was compiled; they do not count. */
    public static final String COMPILED = "compiled";

    /**
     * @param name       as the rows carry it
     * @param iterations how many, in a row
     * @param nanos      target length of each
     */
    public record Phase(String name, int iterations, long nanos) {}

    private final List<Phase> phases;

    /** Phases in the order in which they run. */
    public Phases(Phase... phases) {
        this.phases = new ArrayList<>(List.of(phases));
    }

    /** Those that the parameters ask for: warm-up, then measured ones. */
    public static Phases usual(Parameters parameters) {
        long nanos = parameters.getLong("iteration-ms") * 1_000_000;
        return new Phases(
                new Phase(WARMUP, parameters.getInt("warmup"), nanos),
                new Phase(MEASURED, parameters.getInt("iterations"), nanos));
    }

    /** Iterations in all. */
    public int iterations() {
        int sum = 0;
        for (Phase phase : phases) {
            sum += phase.iterations();
        }
        return sum;
    }

    /**
     * The phase of an iteration, which is counted from 0 through all phases. An experiment whose iterations are not
     * those of the command line (passes over a file, loops over classes) goes beyond them: these are of the last phase.
     */
    public Phase of(int iteration) {
        return phases.get(index(iteration));
    }

    private int index(int iteration) {
        int left = iteration;
        for (int i = 0; i < phases.size(); i++) {
            left -= phases.get(i).iterations();
            if (left < 0) {
                return i;
            }
        }
        return phases.size() - 1;
    }

    /** Whether the iteration is one of a warm-up: of {@link #WARMUP}, or of one that an experiment has besides. */
    public boolean warmup(int iteration) {
        return warmup(of(iteration));
    }

    private static boolean warmup(Phase phase) {
        return phase.name().endsWith(WARMUP);
    }

    /** Iterations of all warm-ups. */
    int warmups() {
        return phases.stream()
                .filter(Phases::warmup)
                .mapToInt(Phase::iterations)
                .sum();
    }

    /** Whether it is the last iteration of its phase, and of others the first comes next. */
    boolean last(int iteration) {
        return index(iteration) != index(iteration + 1);
    }

    /** The phase of that iteration has one more. */
    void lengthen(int iteration) {
        int index = index(iteration);
        Phase phase = phases.get(index);
        phases.set(index, new Phase(phase.name(), phase.iterations() + 1, phase.nanos()));
    }

    /** The first iteration of the phase of that name. */
    public int first(String name) {
        int before = 0;
        for (Phase phase : phases) {
            if (phase.name().equals(name)) {
                return before;
            }
            before += phase.iterations();
        }
        throw new IllegalArgumentException("no phase " + name);
    }

    /** Whether the iteration is one of those that count. */
    public boolean measured(int iteration) {
        return of(iteration).name().equals(MEASURED);
    }
}
