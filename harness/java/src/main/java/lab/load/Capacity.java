package lab.load;

import java.util.function.BiConsumer;

/**
 * Looks for the highest rate of random arrivals that the other side bears, iteration by iteration: first all events due
 * at once, for a rate to begin at; from there doubled or halved until one rate is borne and another is not; then the
 * (geometric) middle of the two again and again. Borne is a rate at which half of the events are done soon after they
 * were due, lateness of the generator and wait in the queue together: beyond it both grow as long as it lasts.
 *
 * <p>What is taken when all is due at once is another number, for a buffer that is full and one that is nearly empty
 * are two programs: rings were measured that bear ten times as much, and a fifth of it. Whether such a structure has
 * one capacity is tried at the end, some times at nine tenths of what was found.
 */
final class Capacity {
    /** Iterations of the phase before the measured ones, and after them. */
    static final int ITERATIONS = 18;

    static final int AFTER = 7;

    private static final int AT_ONCE = 2;
    private static final int CHECKS = 4;
    private static final double CHECKED = 0.9;
    /** How far off the later search may come out. */
    private static final double REACH = 2;
    /** Events per second that no iteration of 5 ms has room for, nor any structure. */
    private static final double MOST = 1e9;

    private int made;
    private double atOnce = MOST;
    private double borne;
    private double refused = Double.POSITIVE_INFINITY;
    /** Whether the rate has failed once: a stop of the host fails any. */
    private boolean doubted;

    private int failed;
    private double before;

    /** Events per second of the next iteration; 0: all are due at once. */
    double rate() {
        if (made < AT_ONCE) {
            return 0;
        }
        return made < ITERATIONS - CHECKS ? next() : made < ITERATIONS ? CHECKED * found() : next();
    }

    private double next() {
        if (borne == 0 && refused == Double.POSITIVE_INFINITY) {
            return atOnce;
        }
        if (refused == Double.POSITIVE_INFINITY) {
            return Math.min(MOST, 2 * borne);
        }
        return borne == 0 ? refused / 2 : Math.sqrt(borne * refused);
    }

    /**
     * An iteration has ended.
     *
     * @param handled events per second while they were sent
     * @param bears   whether half of its events were done in time
     */
    void ended(double handled, boolean bears) {
        double rate = rate();
        if (made < AT_ONCE) {
            atOnce = Math.min(atOnce, handled);
        } else if (made >= ITERATIONS - CHECKS && made < ITERATIONS) {
            failed += bears ? 0 : 1;
        } else if (bears) {
            borne = rate;
            doubted = false;
        } else {
            refused = doubted ? rate : refused;
            doubted = !doubted;
        }
        made++;
        if (made == ITERATIONS) {
            before = found();
            borne = before / REACH;
            refused = before * REACH;
            doubted = false;
        }
    }

    /** The rate found, in events per second: of the search before the measured iterations, once that is over. */
    double before() {
        return made < ITERATIONS ? found() : before;
    }

    private double found() {
        return borne > 0 ? borne : Math.min(atOnce, refused / 2);
    }

    /** Leaves what was found, under names that begin so. */
    void leave(String name, BiConsumer<String, Double> measure) {
        measure.accept(name, before);
        measure.accept(name + "_after", found());
        measure.accept(name + "_at_once", atOnce);
        measure.accept(name + "_failed", (double) failed / CHECKS);
    }
}
