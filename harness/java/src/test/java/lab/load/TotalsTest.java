package lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import lab.Harness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TotalsTest extends LoadTrials {
    private static final int EVENTS = 10;
    private static final int STEPS = 7;

    private int halves;

    /** The checks that fail after an iteration in which each consumer handled all, but for what is changed after it. */
    private List<String> failed(Shape shape, Consumer<Receipts> fault) {
        List<String> failed = new ArrayList<>();
        for (JsonNode each : checks(shape, fault)) {
            if (!each.get("passed").asBoolean()) {
                failed.add(each.get("name").asText());
            }
        }
        return failed;
    }

    private JsonNode checks(Shape shape, Consumer<Receipts> fault) {
        return checks(1, shape, fault);
    }

    private JsonNode checks(int iterations, Shape shape, Consumer<Receipts> fault) {
        Harness.Result result = run(
                trial -> {
                    Load load = Load.of(trial);
                    Totals totals = new Totals(load, shape);
                    Schedule schedule = Ticking.evenly(EVENTS);
                    Receipts[] receipts = new Receipts[shape.consumers()];
                    for (int iteration = 0; iteration < iterations; iteration++) {
                        totals.sent(Ticking.after(EVENTS, (number, due, sent) -> {}, null), schedule);
                        for (int i = 0; i < receipts.length; i++) {
                            receipts[i] = consumer(shape, load, schedule);
                            fault.accept(receipts[i]);
                            for (int piece = 0; piece < receipts[i].handled; piece++) {
                                receipts[i].work.work(piece);
                            }
                            totals.handled(i, receipts[i]);
                        }
                    }
                    totals.check(trial.recorder(), receipts);
                },
                "--rate",
                "1000",
                "--work",
                Integer.toString(STEPS));
        return result.json().get("checks");
    }

    private static Receipts consumer(Shape shape, Load load, Schedule schedule) {
        Work work = new Work(STEPS, load.exponential(), 0);
        Receipts receipts = new Receipts(1, shape.ordered(), shape.pairs(), load, work);
        receipts.handled = EVENTS;
        receipts.numbers = EVENTS * (EVENTS - 1) / 2;
        receipts.content = schedule.content(EVENTS);
        receipts.announced = EVENTS;
        return receipts;
    }

    private static void change(String what, Receipts receipts) {
        switch (what) {
            case "handled" -> receipts.handled--;
            case "announced" -> receipts.announced++;
            case "numbers" -> receipts.numbers++;
            case "content" -> receipts.content++;
            case "work" -> receipts.work.work(0);
            case "misplaced" -> receipts.misplaced++;
            default -> receipts.backward += 2;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "handled, events handled equal events sent",
        "announced, events announced by the end marks",
        "numbers, sum of the numbers",
        "content, sum of the due times",
        "work, sum of the adds of the work",
        "misplaced, 'events out of order, lost or repeated'",
        "backward, at most 1 of 1000 samples ended before it was sent"
    })
    void eachDifferenceFailsItsCheck(String what, String check) {
        Shape shape = new Shape(1, 2, false, true);
        assertEquals(List.of(), failed(shape, receipts -> {}));
        List<Receipts> all = new ArrayList<>();
        assertEquals(List.of(check), failed(shape, receipts -> {
            all.add(receipts);
            if (all.size() == 1) { // what the others handled does not cover it up
                change(what, receipts);
            }
        }));
    }

    @Test
    void theSameFaultInTwoIterationsDoesNotUndoItself() {
        // Each iteration makes new consumers here; the work of the last alone is asked for.
        JsonNode checks = checks(2, new Shape(1, 1, false, true), receipts -> receipts.content++);
        assertTrue(checks.findValuesAsText("name").contains("sum of the due times"));
        for (JsonNode each : checks) {
            if (each.get("name").asText().equals("sum of the due times")) {
                assertFalse(each.get("passed").asBoolean());
            }
        }
    }

    @Test
    void everyConsumerOfAllEventsHandlesThemAll() {
        for (int consumers = 1; consumers <= 3; consumers++) {
            assertEquals(List.of(), failed(new Shape(1, consumers, false, true), receipts -> {}));
        }
    }

    @Test
    void thoseThatShareHandleThemTogether() {
        assertEquals(List.of(), failed(new Shape(1, 2, true, true), receipts -> {
            receipts.handled = EVENTS / 2;
            receipts.announced = EVENTS / 2;
            half(receipts);
        }));
    }

    /** The first has handled the events of even numbers, the second the others. */
    private void half(Receipts receipts) {
        Schedule schedule = Ticking.evenly(EVENTS);
        receipts.numbers = 0;
        receipts.content = 0;
        for (int i = halves++; i < EVENTS; i += 2) {
            receipts.numbers += i;
            receipts.content += schedule.due[i];
        }
    }

    @Test
    void whereNothingIsOrderedNothingIsOutOfOrder() {
        assertEquals(List.of(), failed(new Shape(1, 1, false, false), receipts -> receipts.misplaced = 5));
    }

    @Test
    void whereNobodyAnnouncesNothingHasToBeAnnounced() {
        JsonNode checks = checks(new Shape(1, 1, false, true), receipts -> receipts.announced = 0);
        assertEquals(
                List.of(),
                checks.findValuesAsText("name").stream()
                        .filter(name -> name.contains("announced"))
                        .toList());
    }

    @Test
    void clocksOfTwoCpusMayDifferInOneSampleOfAThousand() {
        Shape shape = new Shape(1, 1, false, true);
        assertEquals(List.of(), failed(shape, receipts -> receipts.backward = 1));
        Consumer<Receipts> samples = receipts -> {
            for (int i = 0; i < 1500; i++) {
                receipts.intended.add(1);
                receipts.full.add(1);
            }
        };
        assertEquals(List.of(), failed(shape, samples.andThen(receipts -> receipts.backward = 3)));
        assertEquals(
                1,
                failed(shape, samples.andThen(receipts -> receipts.backward = 4))
                        .size());
        // Of all consumers together.
        Shape two = new Shape(1, 2, false, true);
        assertEquals(List.of(), failed(two, samples.andThen(receipts -> receipts.backward = 3)));
    }

    @Test
    void withoutConsumersThereIsNothingToCompare() {
        // That of the recorder alone.
        assertEquals(1, checks(new Shape(1, 0, true, true), receipts -> {}).size());
    }
}
