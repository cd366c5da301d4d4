package lab;

import java.util.List;

/** The iterations of a trial in order: stretches of them that have a name and a length of their own. */
public final class Phases {
    /** The phase of the iterations before the trial counts. */
    public static final String WARMUP = "warmup";
    /** The phase in which context switches are counted and that the pipeline takes where nothing else is said. */
    public static final String MEASURED = "measured";

    /**
     * @param name       as the rows carry it
     * @param iterations how many, in a row
     * @param nanos      target length of each
     */
    public record Phase(String name, int iterations, long nanos) {}

    private final List<Phase> phases;

    /** Phases in the order in which they run. */
    public Phases(Phase... phases) {
        this.phases = List.of(phases);
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
        int left = iteration;
        for (Phase phase : phases) {
            if (left < phase.iterations()) {
                return phase;
            }
            left -= phase.iterations();
        }
        return phases.get(phases.size() - 1);
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
