package lab.experiments.ipc;

import java.util.ArrayList;
import java.util.List;
import lab.Phases;

/**
 * The iterations of a trial of two processes. Both have the same, whatever their language. The floors, what a bare word
 * and a bare wake-up take, are measured among the iterations of messages, since where the CPUs are to each other may
 * change in a trial.
 */
final class Schedule {
    private static final String FLOOR = "floor";
    private static final String WAKE = "wake";
    private static final int FLOOR_ITERATIONS = 5;
    /** Of the bare word thousands of round trips, of the bare wake-up tens, whatever the length of the others. */
    private static final long FLOOR_NANOS = 3_000_000;

    private Schedule() {}

    /**
     * As many warm-up iterations of the bare word as of messages and a quarter of them of the bare wake-up, then as
     * many of messages as are measured, in five parts, each after one of the bare wake-up and one of the bare word.
     *
     * @param nanos length of an iteration of messages
     */
    static Phases of(int warmup, int iterations, long nanos) {
        List<Phases.Phase> phases = new ArrayList<>();
        phases.add(new Phases.Phase(Phases.WARMUP, warmup, nanos));
        phases.add(new Phases.Phase(FLOOR + "_" + Phases.WARMUP, warmup, FLOOR_NANOS));
        phases.add(new Phases.Phase(WAKE + "_" + Phases.WARMUP, (warmup + 3) / 4, FLOOR_NANOS));
        for (int i = 0; i < FLOOR_ITERATIONS; i++) {
            int before = iterations * i / FLOOR_ITERATIONS;
            int after = iterations * (i + 1) / FLOOR_ITERATIONS;
            phases.add(new Phases.Phase(WAKE, 1, FLOOR_NANOS));
            phases.add(new Phases.Phase(FLOOR, 1, FLOOR_NANOS));
            phases.add(new Phases.Phase(Phases.MEASURED, after - before, nanos));
        }
        return new Phases(phases.toArray(new Phases.Phase[0]));
    }

    /** Whether the phase is one of the bare word. */
    static boolean words(Phases.Phase phase) {
        return phase.name().startsWith(FLOOR);
    }

    /** Whether the phase is one of the bare wake-up. */
    static boolean wakes(Phases.Phase phase) {
        return phase.name().startsWith(WAKE);
    }
}
