package lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Consumer;
import lab.Harness;
import lab.Phases;
import lab.Trial;
import org.junit.jupiter.api.Test;

/** Of eight warm-up and three measured iterations of 10 ms, and with a load those that look for the capacity. */
class TimetableTest extends LoadTrials {
    private static final int WARMUPS = 8;
    private static final int MEASURED = WARMUPS + Capacity.ITERATIONS;

    private Harness.Result timetable(Consumer<Trial> script, String... load) {
        String[] more = new String[load.length + 4];
        System.arraycopy(new String[] {"--warmup", "8", "--iteration-ms", "10"}, 0, more, 0, 4);
        System.arraycopy(load, 0, more, 4, load.length);
        Harness.Result result = run(script, more);
        assertEquals(0, result.status(), result.err());
        return result;
    }

    private static Timetable of(Trial trial, int producers) {
        return new Timetable(trial, Load.of(trial), producers);
    }

    /** So many iterations of a phase, in which 300,000 events/s are borne, and 700,000 are taken at once. */
    private static void search(Timetable timetable, int first, int count) {
        for (int i = first; i < first + count; i++) {
            timetable.make(i);
            Schedule schedule = timetable.schedule(0);
            boolean atOnce = schedule.limit != Long.MAX_VALUE;
            assertEquals(first == WARMUPS && i < WARMUPS + 2, atOnce, "iteration " + i);
            double rate = atOnce ? 7e5 : schedule.events / 0.005;
            timetable.handled(i, rate, !atOnce && rate <= 3e5 ? 1_000 : 1_000_000);
        }
    }

    private static void assertEvents(double expected, Timetable timetable, int iteration) {
        timetable.make(iteration);
        assertEquals(Long.MAX_VALUE, timetable.schedule(0).limit);
        assertEquals(expected, timetable.schedule(0).events, 0.15 * expected);
    }

    @Test
    void withoutALoadAllIterationsAreSaturated() {
        timetable(trial -> {
            Timetable timetable = of(trial, 1);
            assertEquals(WARMUPS + 3, timetable.phases.iterations());
            for (int i = 0; i < WARMUPS + 3; i++) {
                timetable.handled(i, 1e6, 0);
                timetable.make(i);
                assertEquals(10_000_000, timetable.schedule(0).limit);
                assertEquals(0, timetable.settled());
            }
            timetable.leave(trial.recorder(), "capacity");
            assertEquals(Long.MAX_VALUE, timetable.stallAt(WARMUPS + 1));
        });
    }

    @Test
    void warmUpGoesEveryWayAtHalfOfWhatTheOtherSideTook() {
        timetable(
                trial -> {
                    Timetable timetable = of(trial, 1);
                    for (int i = 0; i < 4; i++) {
                        // No rate is known yet.
                        timetable.make(i);
                        assertEquals(5_000_000, timetable.schedule(0).limit);
                    }
                    timetable.handled(3, 1e6, 0);
                    timetable.make(4);
                    assertEquals(5_000_000, timetable.schedule(0).limit);
                    assertEvents(0.5 * 1e6 * 0.005, timetable, 5);
                    assertEvents(0, timetable, 6);
                    timetable.handled(6, 0, 0);
                    timetable.make(7);
                    Schedule bursts = timetable.schedule(0);
                    assertTrue(bursts.events >= 64);
                    assertEquals(bursts.due[0], bursts.due[63]);
                },
                "--load",
                "50");
    }

    @Test
    void aLoadIsAShareOfWhatIsBorne() {
        Harness.Result result = timetable(
                trial -> {
                    Timetable timetable = of(trial, 1);
                    search(timetable, WARMUPS, Capacity.ITERATIONS);
                    assertEvents(0.5 * 3e5 * 0.01, timetable, MEASURED);
                    assertEquals(timetable.schedule(0).settled(), timetable.settled());
                    assertTrue(timetable.settled() > 0);
                    for (int i = 0; i < 3; i++) {
                        timetable.handled(MEASURED + i, 1, 0);
                    }
                    search(timetable, MEASURED + 3, Capacity.AFTER);
                    timetable.leave(trial.recorder(), "generator_capacity");
                },
                "--load",
                "50");
        // Arrivals at random: in 5 ms their number differs by some percent of itself.
        assertEquals(3e5, result.measures("generator_capacity").get(0), 0.3e5);
        assertEquals(3e5, result.measures("generator_capacity_after").get(0), 0.6e5);
        assertEquals(List.of(7e5), result.measures("generator_capacity_at_once"));
    }

    @Test
    void aRateIsDividedAmongTheProducers() {
        timetable(
                trial -> {
                    Timetable timetable = of(trial, 2);
                    assertEquals(WARMUPS + 3, timetable.phases.iterations());
                    assertEvents(0.5 * 4e5 * 0.01, timetable, WARMUPS + 1);
                    assertEquals(2000, timetable.schedule(1).events, 300);
                    assertTrue(timetable.schedule(0).due[0] != timetable.schedule(1).due[0]);
                },
                "--rate",
                "400000");
    }

    @Test
    void theConsumerStallsInTheMiddleOfTheMiddle() {
        timetable(
                trial -> {
                    Timetable timetable = of(trial, 1);
                    timetable.make(WARMUPS);
                    assertEquals(Long.MAX_VALUE, timetable.stallAt(WARMUPS));
                    timetable.make(WARMUPS + 1);
                    assertEquals(timetable.schedule(0).events / 2, timetable.stallAt(WARMUPS + 1));
                    assertEquals(
                            Phases.MEASURED, timetable.phases.of(WARMUPS + 1).name());
                },
                "--rate",
                "100000",
                "--stall-ms",
                "5");
    }
}
