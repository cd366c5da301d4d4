package lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import lab.Harness;
import lab.Phases;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class AccountTest extends LoadTrials {
    private static final long START = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    private Receipts[] receipts;
    private double rate;
    private final List<Pacer> pacers = new ArrayList<>();

    /** One iteration of a phase, after what the consumers are said to have seen. */
    private Harness.Result account(Shape shape, String phase, Runnable seen, String... more) {
        Harness.Result result = run(
                trial -> {
                    Load load = Load.of(trial);
                    receipts = new Receipts[shape.consumers()];
                    for (int i = 0; i < receipts.length; i++) {
                        receipts[i] = new Receipts(shape.producers(), shape.ordered(), shape.pairs(), load, null);
                    }
                    Account account = new Account(trial, load, shape, receipts);
                    seen.run();
                    if (pacers.isEmpty()) {
                        pacers.add(Ticking.after(5, (number, due, sent) -> {}, null));
                    }
                    rate = account.ended(0, phase, START, pacers.toArray(new Pacer[0]));
                    account.finish();
                },
                more);
        assertEquals(0, result.status(), result.err());
        return result;
    }

    private void handled(int consumer, long events, double seconds) {
        receipts[consumer].handled = events;
        receipts[consumer].end = START + (long) (seconds * SECOND);
    }

    private static Map<String, Double> measures(Harness.Result result) {
        JsonNode measures = result.json().get("measures");
        Map<String, Double> byName = new TreeMap<>();
        for (int i = 0; i < measures.get("name").size(); i++) {
            byName.put(
                    measures.get("name").get(i).asText(),
                    measures.get("value").get(i).asDouble());
        }
        return byName;
    }

    private static String column(Harness.Result result, String name) {
        return result.json().get("iterations").get(name).toString();
    }

    @Test
    void withoutConsumersTheRowIsTheProducers() {
        pacers.add(new Ended(5, START + SECOND));
        Harness.Result result = account(new Shape(1, 0, true, true), Phases.MEASURED, () -> {}, "--rate", "1000");
        assertEquals(5.0, rate);
        assertEquals("[\"c0\",\"late\"]", column(result, "series"));
        assertEquals("[5,5]", column(result, "operations"));
        assertEquals("[1000000,1000000]", column(result, "start_ns"));
        assertEquals("[1000000000,1000000000]", column(result, "elapsed_ns"));
        assertEquals(List.of("clock_read"), List.copyOf(measures(result).keySet()));
    }

    /** Has sent so many events until then. */
    private static final class Ended extends Pacer {
        private final long at;

        Ended(long events, long at) {
            super((number, due, sent) -> {}, 0, 1, false, null, 1);
            this.at = at;
            prepare(Ticking.evenly(events));
            opens(at - SECOND);
            pace();
        }

        @Override
        long nanos() {
            return at;
        }
    }

    @Test
    void theRateIsOfAllTogetherWhereTheyShareAndElseOfTheSlowest() throws IOException {
        for (boolean shared : new boolean[] {true, false}) {
            Harness.Result result = account(new Shape(1, 3, shared, true), Phases.MEASURED, () -> {
                handled(0, 6, 2);
                handled(1, 8, 4);
                handled(2, 4, 1);
                receipts[2].full.add(1000);
            });
            assertEquals(shared ? 9.0 : 2.0, rate);
            assertEquals("[\"c0\",\"c1\",\"c2\",\"full\"]", column(result, "series"));
            assertEquals("[6,8,4,6]", column(result, "operations"));
            assertEquals("[2000000000,4000000000,1000000000,2000000000]", column(result, "elapsed_ns"));
            assertEquals(18, measures(result).get("handled"));
            assertEquals(1, Harness.log(out()).get(3).getTotalCount());
        }
    }

    @Test
    void aConsumerWithoutAnEndMarkEndsWithTheLastProducer() {
        pacers.add(new Ended(5, START + SECOND));
        pacers.add(new Ended(5, START + 2 * SECOND));
        pacers.add(new Ended(5, START));
        account(new Shape(3, 1, true, false), Phases.MEASURED, () -> receipts[0].handled = 15);
        assertEquals(7.5, rate);
    }

    @Test
    void anEventsTimeEndsWithTheLastStage() throws IOException {
        account(
                new Shape(1, 3, false, true, 2),
                Phases.MEASURED,
                () -> {
                    for (int i = 0; i < receipts.length; i++) {
                        handled(i, 5, 1);
                        receipts[i].intended.add(1000 * (i + 1));
                        receipts[i].sent.add(500 * (i + 1));
                    }
                },
                "--rate",
                "1000");
        List<Histogram> log = Harness.log(out());
        for (Histogram each : log.subList(3, 5)) {
            assertEquals(1, each.getTotalCount());
            assertEquals(each.getTag().equals("intended") ? 3000 : 1500, each.getMaxValue(), 3);
        }
    }

    @Test
    void serviceTimesAreSummedAndThoseOfTheHostApart() throws IOException {
        // Events of 2 ms, of which those of the last are sampled.
        pacers.add(Ticking.after(20_000, (number, due, sent) -> {}, null));
        Harness.Result result = account(
                new Shape(1, 1, false, true),
                Phases.MEASURED,
                () -> {
                    handled(0, 5, 1);
                    for (long nanos : new long[] {10, 50_000, 60_000}) {
                        receipts[0].sent.add(100_000);
                        receipts[0].since.add(nanos);
                    }
                    for (long nanos : new long[] {20, 70_000}) {
                        receipts[0].sent.add(nanos);
                        receipts[0].since.add(100_000);
                    }
                },
                "--rate",
                "1000",
                "--stall-ms",
                "1");
        Map<String, Double> measures = measures(result);
        assertEquals(3, measures.get("busy_count"));
        assertEquals(110_010, measures.get("busy_ns"));
        assertEquals(100 + 2.5e9 + 3.6e9, measures.get("busy_ns2"));
        assertEquals(2, measures.get("idle_count"));
        assertEquals(70_020, measures.get("idle_ns"));
        assertEquals(400 + 4.9e9, measures.get("idle_ns2"));
        assertEquals(2, measures.get("cut_count"));
        assertEquals(130_000, measures.get("cut_ns"));
        Map<String, Long> samples = new TreeMap<>();
        Harness.log(out()).forEach(each -> samples.put(each.getTag(), each.getTotalCount()));
        assertEquals(3, samples.get("busy"));
        assertEquals(2, samples.get("idle"));
        assertEquals(5, samples.get("waiting"));
        assertEquals(0, samples.get("intended"));
        assertEquals(20_000 - 9_999, samples.get("late"));
        // Every row is of the consumer's iteration, that of the lateness too.
        assertEquals("[" + "1000000000,".repeat(6) + "1000000000]", column(result, "elapsed_ns"));
    }

    @Test
    void whatConsumersCountIsOfAllOfThem() {
        Harness.Result result = account(new Shape(1, 2, true, true), Phases.MEASURED, () -> {
            for (int i = 0; i < 2; i++) {
                handled(i, 5, 1);
                receipts[i].countsFailedPolls();
                receipts[i].failedPolls = 3 + i;
                receipts[i].backward = 1;
            }
            receipts[0].batchBegins();
            receipts[0].batchEnds(4, true);
        });
        Map<String, Double> measures = measures(result);
        assertEquals(7, measures.get("failed_polls"));
        assertEquals(2, measures.get("clock_backward"));
        assertEquals(1, measures.get("batch_size_4"));
        assertTrue(!measures.containsKey("busy_count") && !measures.containsKey("occupancy_sum"), measures.toString());
    }

    @Test
    void whatNobodyCountsIsLeftOut() {
        Harness.Result result = account(new Shape(1, 3, true, true), Phases.MEASURED, () -> {
            for (int i = 0; i < 3; i++) {
                handled(i, 5, 1);
            }
            receipts[0].countsFailedPolls();
            receipts[2].countsFailedPolls();
            receipts[2].failedPolls = 3;
        });
        assertEquals(
                Set.of("clock_read", "handled", "clock_backward"),
                measures(result).keySet());
    }

    @Test
    void whatSendersCountIsTheGrowthInTheIteration() {
        long[] full = {7};
        Sender sender = new Sender() {
            @Override
            public void send(long number, long due, long sent) {
                // Nobody takes it.
            }

            @Override
            public long full() {
                return full[0];
            }

            @Override
            public long refused() {
                return 0;
            }
        };
        Harness.Result result = run(trial -> {
            Receipts only = new Receipts(1, true, true, Load.of(trial), null);
            Account account = new Account(trial, Load.of(trial), new Shape(1, 1, false, true), new Receipts[] {only});
            Pacer pacer = Ticking.after(100_000, sender, () -> 0);
            assertTrue(pacer.occupancySamples > 0);
            for (int i = 0; i < 3; i++) {
                account.ended(i, i == 0 ? Phases.WARMUP : Phases.MEASURED, START, new Pacer[] {pacer});
                full[0] += 4;
            }
            trial.recorder().check("sum", pacer.occupancySum, pacer.occupancySum);
            trial.recorder().check("samples", pacer.occupancySamples, pacer.occupancySamples);
        });
        assertEquals(0, result.status(), result.err());
        assertEquals(List.of(4.0, 4.0), result.measures("full"));
        assertEquals(List.of(0.0, 0.0), result.measures("failed_offers"));
        double sum = result.json().get("checks").get(0).get("actual").asDouble();
        double samples = result.json().get("checks").get(1).get("actual").asDouble();
        assertEquals(List.of(sum, sum), result.measures("occupancy_sum"));
        assertEquals(List.of(samples, samples), result.measures("occupancy_samples"));
    }

    @Test
    void warmUpLeavesOnlyTheConsumersRows() {
        Harness.Result result =
                account(new Shape(1, 1, false, true), Phases.WARMUP, () -> handled(0, 5, 1), "--rate", "1000");
        assertEquals("[\"c0\"]", column(result, "series"));
        assertEquals(5.0, rate);
        assertEquals(List.of("clock_read"), List.copyOf(measures(result).keySet()));
    }
}
