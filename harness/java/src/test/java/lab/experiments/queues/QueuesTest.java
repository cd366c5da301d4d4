package lab.experiments.queues;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import lab.Experiment;
import lab.Harness;
import lab.Trial;
import lab.Workers;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class QueuesTest {
    private static final long SHORT_GRACE_NANOS = 300_000_000;
    private static final int SLOTS = 1024;

    @TempDir
    Path folder;

    private Path out() {
        return folder.resolve("o.hlog");
    }

    private Harness.Result run(String variant, String... more) {
        String line = "queues --variant " + variant + " --slots " + SLOTS + " --warmup 4 --iterations 3";
        return Harness.run(Harness.words(line, out(), more).toArray(new String[0]));
    }

    private Harness.Result stub(Topology topology, Function<Trial, Structure> structure, long grace, String... more) {
        String line = "stub --variant stub --slots " + SLOTS + " --warmup 4 --iterations 3";
        Experiment stub = new Stub(topology, grace, structure);
        return assertTimeoutPreemptively(
                Duration.ofSeconds(30),
                () -> Harness.run(
                        List.of(stub), Harness.words(line, out(), more).toArray(new String[0])));
    }

    private Harness.Result broken(Supplier<Structure> structure) {
        return stub(Topology.ONE_TO_ONE, trial -> structure.get(), SHORT_GRACE_NANOS, "--rate", "100000");
    }

    static Stream<String> variants() {
        return new Queues().variants().stream().map(Experiment.Variant::name);
    }

    private static Structure queue() {
        return new BlockingStructure(new ArrayBlockingQueue<>(SLOTS), SLOTS);
    }

    private static Structure spinning() {
        return new PollingStructure(new ArrayBlockingQueue<>(SLOTS), SLOTS, true);
    }

    private static RingBuffer<Event> ring() {
        return RingBuffer.createSingleProducer(Event::new, SLOTS, new BusySpinWaitStrategy());
    }

    private static Structure disruptor() {
        return new DisruptorStructure(ring(), Topology.ONE_TO_ONE, 1, 0);
    }

    @ParameterizedTest
    @MethodSource("variants")
    void everyEventIsHandledOnceAndInOrder(String variant) {
        for (String[] load : new String[][] {{"--load", "0"}, {"--rate", "100000"}}) {
            Harness.Result result = run(variant, load);
            assertEquals(0, result.status(), variant + ": " + result.err());
            JsonNode rows = result.json().get("iterations");
            assertTrue(rows.get("operations").get(0).asLong() > 0);
            for (JsonNode elapsed : rows.get("elapsed_ns")) {
                assertTrue(elapsed.asLong() > 0, rows.get("elapsed_ns").toString());
            }
            for (JsonNode check : result.json().get("checks")) {
                assertTrue(check.get("passed").asBoolean(), check.toString());
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
                Harness.Result result = stub(topology, structure, Workers.GRACE_NANOS, load);
                assertEquals(0, result.status(), variant + " " + topology + ": " + result.err());
                JsonNode series = result.json().get("iterations").get("series");
                for (int consumer = 0; consumer < topology.consumers(); consumer++) {
                    assertEquals("c" + consumer, series.get(consumer).asText());
                }
            }
        }
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

    @Test
    void aStallIsSeenByAllThatCameMeanwhileAndByAWaitingGeneratorOnce() throws IOException {
        Harness.Result result = run(
                "jctools_spsc", "--rate", "20000", "--stall-ms", "50", "--iteration-ms", "200", "--sample-every", "2");
        assertEquals(0, result.status(), result.err());
        Histogram intended = measured(result, "intended");
        // 50 ms at 20,000/s are 1,000 events, every second sampled, whose times fall from 50 ms on in a line.
        for (int ms = 10; ms <= 40; ms += 10) {
            long above = intended.getCountBetweenValues(ms * 1_000_000L, Long.MAX_VALUE / 2);
            assertEquals((50 - ms) * 10, above, 60, ms + " ms");
        }
        Histogram sent = measured(result, "sent");
        assertEquals(400, sent.getCountBetweenValues(10_000_000, Long.MAX_VALUE / 2), 60);
        assertEquals(1, measured(result, "waiting").getCountBetweenValues(45_000_000, Long.MAX_VALUE / 2));
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
    void wrongStructuresAreFoundOut() {
        assertFound("events handled equal events sent", () -> Twin.sending(queue(), s -> Twin.losing(s, 123)));
        assertFound("events handled equal events sent", () -> Twin.sending(queue(), s -> Twin.doubling(s, 123)));
        assertFound("events out of order", () -> Twin.sending(queue(), s -> Twin.swapping(s, 123)));
        assertFound("exclusive or of the due times", () -> Twin.sending(queue(), s -> Twin.forging(s, 123)));
    }

    private void assertFound(String check, Supplier<Structure> wrong) {
        Harness.Result result = broken(wrong);
        assertEquals(4, result.status(), result.err());
        assertTrue(result.err().contains(check), result.err());
        assertEquals(1, result.err().lines().count());
    }

    @Test
    void aLostWakeUpEndsTheTrial() {
        assertAbandoned("no iteration ended in", () -> new ForgetfulStructure(200));
    }

    @Test
    void aConsumerThatNeverTakesEndsTheTrial() {
        assertAbandoned("no iteration ended in", () -> Twin.receiving(queue(), receipts -> QueuesTest::sleep));
    }

    private static void sleep() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            throw Pause.interrupted(e);
        }
    }

    @Test
    void aProcessorHaltedBeforeItRunsIsFoundOut() {
        RingBuffer<Event> ring = ring();
        BatchEventProcessor<Event> processor =
                new BatchEventProcessorBuilder().build(ring, ring.newBarrier(), (event, sequence, endOfBatch) -> {});
        Structure halted = Twin.receiving(new DisruptorStructure(ring, Topology.ONE_TO_ONE, 1, 0), receipts -> () -> {
            processor.halt();
            processor.run();
        });
        assertFound("events handled equal events sent", () -> halted);
    }

    @Test
    void aProducerThatDiesIsNamed() {
        for (Supplier<Structure> each :
                List.<Supplier<Structure>>of(QueuesTest::queue, QueuesTest::spinning, QueuesTest::disruptor)) {
            assertAbandoned("producer 0 died", () -> Twin.sending(each.get(), s -> Twin.dying(s, 100)));
        }
    }

    @Test
    void aConsumerThatDiesIsNamed() {
        for (Supplier<Structure> each :
                List.<Supplier<Structure>>of(QueuesTest::queue, QueuesTest::spinning, QueuesTest::disruptor)) {
            Structure structure = each.get();
            assertAbandoned(
                    "consumer 0 died",
                    () -> Twin.receiving(structure, receipts -> {
                        receipts.forwardTo(Twin.dying((number, due, sent) -> {}, 100));
                        return structure.receiver(0, receipts);
                    }));
        }
    }

    private void assertAbandoned(String cause, Supplier<Structure> structure) {
        Harness.Result result = broken(structure);
        assertEquals(4, result.status(), result.err());
        assertTrue(result.err().contains(cause), result.err());
        assertEquals(1, result.err().lines().count(), result.err());
        assertFalse(Files.exists(out()));
    }

    @Test
    void badInputIsNamed() {
        assertRefused(
                2,
                "--slots 1000: must be a power of two",
                Harness.run(Harness.words("queues --variant null --slots 1000 --warmup 1 --iterations 1", out())
                        .toArray(new String[0])));
        assertRefused(2, "--threads 2: leave it out", run("null", "--threads", "2"));
        assertRefused(2, "--batch 10: only variants disruptor_", run("abq_block", "--batch", "10"));
        assertRefused(2, "--batch-limit 1: only variants disruptor_", run("null", "--batch-limit", "1"));
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
