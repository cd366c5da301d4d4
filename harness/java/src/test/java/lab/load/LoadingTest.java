package lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import lab.Harness;
import lab.Trial;
import lab.Workers;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LoadingTest extends LoadTrials {
    private record Event(long number, long due, long sent) {}

    /** A queue of the runtime's between one producer and one consumer. */
    private static void plain(Trial trial) {
        Loading loading = new Loading(trial, Load.of(trial), new Shape(1, 1, false, true));
        ArrayBlockingQueue<Event> queue = new ArrayBlockingQueue<>(1024);
        Receipts receipts = loading.receipts(0);
        Sender sender = (number, due, sent) -> put(queue, new Event(number, due, sent));
        Receiver receiver = () -> {
            Event event;
            do {
                event = take(queue);
            } while (!receipts.on(event.number, event.due, event.sent));
        };
        loading.run(new Sender[] {sender}, new Receiver[] {receiver}, Workers.GRACE_NANOS);
    }

    private static void put(ArrayBlockingQueue<Event> queue, Event event) {
        try {
            queue.put(event);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Event take(ArrayBlockingQueue<Event> queue) {
        try {
            return queue.take();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Harness.Result run(String... more) {
        return run(LoadingTest::plain, more);
    }

    private static List<String> column(JsonNode rows, String name) {
        List<String> values = new ArrayList<>();
        rows.get(name).forEach(value -> values.add(value.asText()));
        return values;
    }

    @Test
    void withoutALoadEveryIterationIsSaturated() throws IOException {
        Harness.Result result = run();
        assertEquals(0, result.status(), result.err());
        JsonNode rows = result.json().get("iterations");
        assertEquals(5 + 2 * 3, rows.get("series").size());
        assertEquals(3, column(rows, "series").stream().filter("full"::equals).count());
        long full = 0;
        for (Histogram each : Harness.log(out())) {
            assertTrue(each.getTag().equals("full") || each.getTotalCount() == 0, each.getTag());
            full += each.getTotalCount();
        }
        assertTrue(full > 0, "the queue was never full");
    }

    @Test
    void underLoadTheTrialHasItsPhasesAndSeries() throws IOException {
        Harness.Result result = run("--load", "50", "--iteration-ms", "10");
        assertEquals(0, result.status(), result.err());
        JsonNode rows = result.json().get("iterations");
        List<String> phases = column(rows, "phase");
        List<String> series = column(rows, "series");
        for (String each : List.of("c0", "intended", "sent", "late", "busy", "idle")) {
            long capacity = 0;
            long measured = 0;
            for (int row = 0; row < series.size(); row++) {
                capacity += series.get(row).equals(each) && phases.get(row).equals("capacity") ? 1 : 0;
                measured += series.get(row).equals(each) && phases.get(row).equals("measured") ? 1 : 0;
            }
            assertEquals(Capacity.ITERATIONS, capacity, each);
            assertEquals(3, measured, each);
        }
        assertEquals(1, result.measures("capacity").size());
        assertEquals(1, result.measures("capacity_after").size());
        assertEquals(3, result.measures("cpu_ns").size());
        assertTrue(result.measures("cpu_ns").stream().allMatch(each -> each > 0));
        assertTrue(result.measures("occupancy_samples").stream().anyMatch(each -> each > 0));
        assertEquals(2, result.json().get("parameters").get("threads").asInt());
        double capacity = result.measures("capacity").get(0);
        List<Integer> handled = new ArrayList<>();
        for (int row = 0; row < series.size(); row++) {
            if (series.get(row).equals("c0") && phases.get(row).equals("measured")) {
                handled.add(rows.get("operations").get(row).asInt());
            }
        }
        double expected = 0.5 * capacity * 0.01;
        for (int each : handled) {
            // Arrivals at random: of few events their number differs by more of itself.
            assertEquals(expected, each, 0.1 * expected + 5 * Math.sqrt(expected));
        }
    }

    @Test
    void pairsOfSampledEventsAreBusyOrIdle() {
        Harness.Result result = run("--rate", "100000", "--iteration-ms", "10");
        assertEquals(0, result.status(), result.err());
        List<Double> busy = result.measures("busy_count");
        List<Double> idle = result.measures("idle_count");
        assertEquals(3, busy.size());
        double paced = busy.get(0) + idle.get(0);
        // 1,000 events, of which a tenth is left out, and one of 16 is sampled.
        assertEquals(900 / 16.0, paced, 10);
    }

    @Test
    void contradictionsAreRefused() {
        Harness.Result both = run("--load", "10", "--rate", "1000");
        assertEquals(2, both.status());
        assertTrue(both.err().contains("--rate 1000: give it or --load 10"), both.err());
        assertEquals(2, run("--load", "121").status());
        assertEquals(2, run("--load", "-1").status());
        Harness.Result many = run("--rate", "1000000000", "--iteration-ms", "1000");
        assertEquals(2, many.status());
        assertTrue(many.err().contains("--rate 1000000000"), many.err());
        assertTrue(run("--load", "1", "--sample-every", "3").err().contains("power of two"));
        assertTrue(run("--stall-ms", "5").err().contains("--load"));
    }

    @Test
    void knownWorkIsDoneAndTimed() {
        Harness.Result result = run("--rate", "20000", "--work", "5000", "--work-kind", "exponential");
        assertEquals(0, result.status(), result.err());
        // A busy host only makes it longer.
        assertTrue(result.measures("work_mean_ns").get(0) > 2500);
        JsonNode checks = result.json().get("checks");
        int work = checks.findValuesAsText("name").indexOf("sum of the adds of the work");
        assertNotEquals("0", checks.get(work).get("expected").asText());
    }
}
