package lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Consumer;
import lab.Harness;
import lab.Phases;
import lab.Trial;
import org.junit.jupiter.api.Test;

/** Of eight warm-up and three measured iterations of 10 ms, and where there is a load ten and three of capacity. */
class TimetableTest extends LoadTrials {
    private static final int WARMUPS = 8;
    private static final int MEASURED = WARMUPS + 10;

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

    /** Capacities of 100,000, 200,000, ... events/s, the largest first. */
    private static void capacities(Timetable timetable) {
        for (int i = 0; i < 10; i++) {
            timetable.make(WARMUPS + i);
            assertEquals(5_000_000, timetable.schedule(0).limit());
            timetable.handled(WARMUPS + i, (10 - i) * 1e5);
        }
    }

    private static void assertEvents(double expected, Timetable timetable, int iteration) {
        timetable.make(iteration);
        assertEquals(Long.MAX_VALUE, timetable.schedule(0).limit());
        assertEquals(expected, timetable.schedule(0).events(), 0.15 * expected);
    }

    @Test
    void withoutALoadAllIterationsAreSaturated() {
        timetable(trial -> {
            Timetable timetable = of(trial, 1);
            assertEquals(WARMUPS + 3, timetable.phases().iterations());
            for (int i = 0; i < WARMUPS + 3; i++) {
                timetable.handled(i, 1e6);
                timetable.make(i);
                assertEquals(10_000_000, timetable.schedule(0).limit());
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
                        assertEquals(5_000_000, timetable.schedule(0).limit());
                    }
                    timetable.handled(3, 1e6);
                    timetable.make(4);
                    assertEquals(5_000_000, timetable.schedule(0).limit());
                    assertEvents(0.5 * 1e6 * 0.005, timetable, 5);
                    assertEvents(0, timetable, 6);
                    timetable.handled(6, 0);
                    timetable.make(7);
                    Schedule bursts = timetable.schedule(0);
                    assertTrue(bursts.events() >= 64);
                    assertEquals(bursts.due()[0], bursts.due()[63]);
                },
                "--load",
                "50");
    }

    @Test
    void aLoadIsAShareOfWhatThreeInFourIterationsReached() {
        Harness.Result result = timetable(
                trial -> {
                    Timetable timetable = of(trial, 1);
                    capacities(timetable);
                    assertEvents(0.5 * 3e5 * 0.01, timetable, MEASURED);
                    assertEquals(timetable.schedule(0).settled(), timetable.settled());
                    assertTrue(timetable.settled() > 0);
                    for (int i = 0; i < 3; i++) {
                        timetable.handled(MEASURED + i, 1);
                        timetable.make(MEASURED + 3 + i);
                        assertEquals(5_000_000, timetable.schedule(0).limit());
                        timetable.handled(MEASURED + 3 + i, (i + 7) * 1e5);
                    }
                    timetable.leave(trial.recorder(), "generator_capacity");
                },
                "--load",
                "50");
        assertEquals(List.of(3e5), result.measures("generator_capacity"));
        assertEquals(List.of(7e5), result.measures("generator_capacity_after"));
    }

    @Test
    void aRateIsDividedAmongTheProducers() {
        timetable(
                trial -> {
                    Timetable timetable = of(trial, 2);
                    capacities(timetable);
                    assertEvents(0.5 * 4e5 * 0.01, timetable, MEASURED + 1);
                    assertEquals(2000, timetable.schedule(1).events(), 300);
                    assertTrue(timetable.schedule(0).due()[0]
                            != timetable.schedule(1).due()[0]);
                },
                "--rate",
                "400000");
    }

    @Test
    void theConsumerStallsInTheMiddleOfTheMiddle() {
        timetable(
                trial -> {
                    Timetable timetable = of(trial, 1);
                    capacities(timetable);
                    timetable.make(MEASURED);
                    assertEquals(Long.MAX_VALUE, timetable.stallAt(MEASURED));
                    timetable.make(MEASURED + 1);
                    assertEquals(timetable.schedule(0).events() / 2, timetable.stallAt(MEASURED + 1));
                    assertEquals(
                            Phases.MEASURED, timetable.phases().of(MEASURED + 1).name());
                },
                "--rate",
                "100000",
                "--stall-ms",
                "5");
    }
}
