package lab.experiments.queues;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import lab.Experiment;
import lab.Harness;
import lab.Trial;
import lab.Workers;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Structures that are right, and parameters that are not. */
class QueuesTest extends QueuesRuns {
    static Stream<String> variants() {
        return new Queues().variants().stream().map(Experiment.Variant::name);
    }

    @ParameterizedTest
    @MethodSource("variants")
    void everyEventIsHandledOnceAndInOrder(String variant) {
        for (String[] load : new String[][] {{"--load", "0"}, {"--rate", "100000"}}) {
            Harness.Result result = run(variant, load);
            assertEquals(0, result.status(), variant + ": " + result.err());
            JsonNode rows = result.json().get("iterations");
            long operations = 0;
            for (JsonNode each : rows.get("operations")) {
                operations += each.asLong();
            }
            assertTrue(operations > 0);
            for (JsonNode elapsed : rows.get("elapsed_ns")) {
                assertTrue(elapsed.asLong() > 0, rows.get("elapsed_ns").toString());
            }
            if (!variant.equals("null")) {
                JsonNode checks = result.json().get("checks");
                int handled = checks.findValuesAsText("name").indexOf("events handled equal events sent");
                JsonNode check = checks.get(handled);
                assertTrue(check.get("expected").asLong() > 0, check.toString());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Topology.class)
    void everyTopologyHandlesEveryEvent(Topology topology) {
        for (String variant : new String[] {"disruptor_yield", "abq_block", "jctools_spsc"}) {
            if (!Structures.takes(variant, topology)) {
                continue;
            }
            Function<Trial, Structure> structure = trial -> new Structures(variant, trial, topology).make();
            for (String[] load : new String[][] {{"--load", "0"}, {"--rate", "60000"}}) {
                Harness.Result result = measure(topology, structure, Workers.GRACE_NANOS, load);
                assertEquals(0, result.status(), variant + " " + topology + ": " + result.err());
                JsonNode series = result.json().get("iterations").get("series");
                for (int consumer = 0; consumer < topology.consumers; consumer++) {
                    assertEquals("c" + consumer, series.get(consumer).asText());
                }
            }
        }
    }

    /** At a low rate whoever looks for events looks in vain; whoever sleeps, or lets a library wait, counts nothing. */
    @ParameterizedTest
    @MethodSource("variants")
    void looksInVainAreCountedWhereTheConsumerIsOurs(String variant) {
        Harness.Result result = run(variant, "--rate", "20000");
        assertEquals(0, result.status(), result.err());
        List<Double> polls = result.measures("failed_polls");
        boolean counted = Set.of("abq_spin", "abq_drain", "clq_spin", "disruptor_poller", "agrona_ring")
                        .contains(variant)
                || variant.startsWith("jctools");
        assertEquals(counted ? result.measures("handled").size() : 0, polls.size(), polls.toString());
        // Each iteration of an idle host has some; one in which the consumer gets no CPU until all is due has none.
        assertEquals(counted, polls.stream().anyMatch(each -> each > 0), polls.toString());
    }

    @Test
    void claimsOfSeveralAndBatchesOfOneLoseNothing() {
        for (String[] how : new String[][] {{"--batch", "10"}, {"--batch-limit", "1"}, {"--batch", "7"}}) {
            Harness.Result result = run("disruptor_yield", how);
            assertEquals(0, result.status(), result.err());
        }
        Harness.Result single = run("disruptor_yield", "--batch-limit", "1");
        assertEquals(single.measures("batches"), single.measures("batch_events"));
    }

    /** As the published tests do: a word, which the handler adds. The sum and the count are the check. */
    @Test
    void anEventOfOneLongIsAdded() {
        for (String variant : new String[] {"disruptor_yield", "abq_block", "jctools_spsc", "handler"}) {
            Harness.Result result = run(variant, "--event", "long");
            assertEquals(0, result.status(), variant + ": " + result.err());
            String checks = result.json().get("checks").toString();
            assertTrue(checks.contains("sum of the numbers"), checks);
            assertFalse(checks.contains("events out of order"), checks);
        }
        assertEquals(
                0, run("disruptor_yield", "--event", "long", "--batch", "10").status());
    }

    @Test
    void aPollerMayPause() {
        for (String variant : new String[] {"abq_spin", "jctools_spsc"}) {
            assertEquals(0, run(variant, "--rate", "20000", "--pause", "300").status());
        }
    }

    /** Also where there are fewer CPUs than threads, for at a rate they take turns. */
    @Test
    void twoProducersShareARate() {
        for (String variant : new String[] {"disruptor_spin", "jctools_spsc", "jctools_mpmc", "abq_block"}) {
            Harness.Result result = run(variant, "--topology", "two_to_one", "--rate", "20000");
            assertEquals(0, result.status(), variant + ": " + result.err());
        }
    }

    @Test
    void aStallIsSeenByAllThatCameMeanwhileAndByAWaitingGeneratorOnce() throws IOException {
        Harness.Result result = run(
                "jctools_spsc", "--rate", "20000", "--stall-ms", "50", "--iteration-ms", "200", "--sample-every", "2");
        assertEquals(0, result.status(), result.err());
        // 50 ms at 20,000/s are 1,000 events, every second sampled, whose times fall from 50 ms on in a line. A busy
        // host can only add to them.
        Histogram intended = measured(result, "intended");
        for (int ms = 10; ms <= 40; ms += 10) {
            assertTrue(above(intended, ms) >= (50 - ms) * 10 - 60, ms + " ms");
        }
        assertTrue(above(measured(result, "sent"), 10) >= 400 - 60);
        // Whoever waits for each answer sees one of 45 ms where more than 350 others came after 10 and more.
        long waiting = above(measured(result, "waiting"), 45);
        assertTrue(waiting >= 1);
        assertTrue(above(intended, 10) >= 200 * waiting, above(intended, 10) + " and " + waiting);
    }

    private static long above(Histogram histogram, int millis) {
        return histogram.getCountBetweenValues(millis * 1_000_000L, Long.MAX_VALUE / 2);
    }

    /** The histograms of the measured iterations of one series, merged. */
    private Histogram measured(Harness.Result result, String series) throws IOException {
        Histogram all = new Histogram(3);
        List<Histogram> log = Harness.log(out());
        JsonNode phases = result.json().get("iterations").get("phase");
        for (int row = 0; row < log.size(); row++) {
            if (log.get(row).getTag().equals(series) && phases.get(row).asText().equals("measured")) {
                all.add(log.get(row));
            }
        }
        return all;
    }

    @Test
    void badInputIsNamed() {
        assertRefused(2, "--slots 1000: must be a power of two", run("null", "--slots", "1000"));
        assertRefused(
                2, "--batch 1000: more than --slots 512", run("disruptor_yield", "--batch", "1000", "--slots", "512"));
        assertRefused(2, "--threads 2: leave it out", run("null", "--threads", "2"));
        assertRefused(2, "--batch 10: only variants disruptor_", run("abq_block", "--batch", "10"));
        assertRefused(2, "--batch-limit 1: only variants disruptor_", run("null", "--batch-limit", "1"));
        assertRefused(2, "--batch 10: only variants disruptor_", run("disruptor_poller", "--batch", "10"));
        assertRefused(2, "--drain 8: only *_drain and agrona_ring", run("jctools_spsc", "--drain", "8"));
        assertRefused(2, "--pause 30: only *_spin", run("abq_block", "--pause", "30"));
        assertRefused(2, "--event long: only disruptor_*", run("agrona_ring", "--event", "long"));
        assertRefused(2, "--event long: only disruptor_*", run("abq_block", "--event", "long", "--rate", "1000"));
        assertRefused(2, "--load 121", run("null", "--load", "121"));
        if (Runtime.getRuntime().availableProcessors() < 4) {
            assertRefused(
                    3,
                    "--topology pipeline: its 4 threads need a CPU each",
                    run("disruptor_yield", "--topology", "pipeline"));
        }
    }

    private static void assertRefused(int status, String cause, Harness.Result result) {
        assertEquals(status, result.status(), result.err());
        assertTrue(result.err().contains(cause), result.err());
        assertEquals("", result.out());
    }
}
