package lab.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import lab.Harness;
import lab.Phases;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServicesTest extends LoadTrials {
    private static final int EVENTS = 20_000;
    private static final int WORK = 200;

    /** What a consumer behind a hop samples: from the sending of each event, and from the end of the one before. */
    private record Pairs(long[] own, long[] since) {
        /** Random arrivals, of which the consumer is busy that share of the time. */
        static Pairs of(double load, double mean, long hop, LongSupplier work) {
            Random random = new Random(1);
            long[] own = new long[EVENTS];
            long[] since = new long[EVENTS];
            double sent = 0;
            long done = 0;
            for (int i = 0; i < EVENTS; i++) {
                sent -= Math.log(1 - random.nextDouble()) * mean / load;
                long before = done;
                done = Math.max(before, (long) sent + hop) + work.getAsLong();
                own[i] = done - (long) sent;
                since[i] = done - before;
            }
            return new Pairs(own, since);
        }
    }

    private static LongSupplier exponential() {
        Random random = new Random(2);
        return () -> (long) (-Math.log(1 - random.nextDouble()) * WORK);
    }

    @ParameterizedTest
    @CsvSource({"0.1,0", "0.1,140", "0.1,1000", "0.5,140", "0.8,140", "0.8,60"})
    void theFlightIsTheHopThatIsMadeUp(double load, long hop) {
        Pairs constant = Pairs.of(load, WORK, hop, () -> WORK);
        assertEquals(hop, Services.flight(constant.own, constant.since));
        Pairs random = Pairs.of(load, WORK, hop, exponential());
        assertEquals(hop, Services.flight(random.own, random.since), 0.1 * WORK);
    }

    @Test
    void whatOnlyWaitsOrNeverDoesTellsOfNoFlight() {
        long[] early = new long[1000];
        long[] late = new long[1000];
        Arrays.fill(late, 300);
        assertEquals(Services.UNKNOWN, Services.flight(late, early));
        assertEquals(Services.UNKNOWN, Services.flight(early, late));
        assertEquals(Services.UNKNOWN, Services.flight(new long[0], new long[0]));
    }

    /** Two iterations of a consumer behind a hop, the first in a phase of its own. */
    private Harness.Result told(boolean awake, long hop) {
        Pairs pairs = Pairs.of(0.5, WORK, hop, () -> WORK);
        Pairs slower = Pairs.of(0.5, WORK, 5 * hop, () -> WORK);
        Harness.Result result = run(
                trial -> {
                    Receipts only = new Receipts(1, true, true, Load.of(trial), null);
                    Services services = new Services(trial.recorder(), false);
                    int iteration = 0;
                    for (Pairs each : List.of(slower, pairs)) {
                        only.prepare(true, 0, 0, 0);
                        only.handled = EVENTS;
                        only.end = 1000 * (iteration + 2);
                        for (int i = 0; i < EVENTS; i++) {
                            only.sent.add(each.own[i]);
                            only.since.add(each.since[i]);
                        }
                        String phase = iteration == 0 ? Load.CAPACITY : Phases.MEASURED;
                        services.keep(iteration, phase, 1000 * (iteration + 1), only);
                        iteration++;
                    }
                    services.leave(awake);
                },
                "--rate",
                "1000");
        assertEquals(0, result.status(), result.err());
        return result;
    }

    @Test
    void servicesAreWithoutTheFlightOfTheMeasuredIterations() throws IOException {
        Harness.Result result = told(true, 100);
        assertEquals(List.of(100.0), result.measures("flight"));
        List<Double> busy = result.measures("busy_count");
        List<Double> idle = result.measures("idle_count");
        assertEquals(EVENTS, busy.get(1) + idle.get(1));
        assertEquals(WORK * busy.get(1), result.measures("busy_ns").get(1));
        assertEquals(WORK * idle.get(1), result.measures("idle_ns").get(1));
        assertEquals(
                (double) WORK * WORK * idle.get(1), result.measures("idle_ns2").get(1));
        // The one before had another hop, which is not what is taken off.
        assertTrue(result.measures("idle_ns").get(0) > 1.5 * WORK * idle.get(0));
        JsonNode rows = result.json().get("iterations");
        assertEquals("[0,0,1,1]", rows.get("iteration").toString());
        assertEquals("[\"busy\",\"idle\",\"busy\",\"idle\"]", rows.get("series").toString());
        assertEquals("[1000,1000,2000,2000]", rows.get("start_ns").toString());
        assertEquals("[1000,1000,1000,1000]", rows.get("elapsed_ns").toString());
        assertEquals("[20000,20000,20000,20000]", rows.get("operations").toString());
        List<Histogram> log = Harness.log(out());
        long[] found = log.stream().mapToLong(Histogram::getTotalCount).toArray();
        assertArrayEquals(
                new long[] {
                    busy.get(0).longValue(),
                    idle.get(0).longValue(),
                    busy.get(1).longValue(),
                    idle.get(1).longValue()
                },
                found);
    }

    @Test
    void ofAConsumerThatSleepsTheWayIsService() {
        Harness.Result result = told(false, 100);
        assertEquals(List.of(), result.measures("flight"));
        double idle = result.measures("idle_count").get(1);
        assertEquals((WORK + 100) * idle, result.measures("idle_ns").get(1));
        // One that was on its way while another was served counts as if it had waited.
        assertTrue(result.measures("busy_ns").get(1)
                > WORK * result.measures("busy_count").get(1));
    }
}
