package lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import lab.Harness;
import org.junit.jupiter.api.Test;

/** What any two threads on two CPUs pay, before there is anything between them. */
class WordTest extends LoadTrials {
    @Test
    void itIsToldFiveTimesWhereThereAreTwoCpusAndNotWhereThereIsOne() {
        boolean two = Runtime.getRuntime().availableProcessors() > 1;
        Harness.Result result = run(trial -> Word.measure(trial, 1));
        assertEquals(0, result.status(), result.err());
        List<Double> words = result.measures("word");
        assertEquals(two ? 5 : 0, words.size());
        assertTrue(words.stream().allMatch(each -> each > 0), words.toString());
        String checks = result.json().get("checks").toString();
        assertEquals(two, checks.contains("bare words lost, repeated or out of order"), checks);
        Harness.Result one = run(trial -> Word.measure(trial, 1), "--cpus", "0");
        assertEquals(0, one.status(), one.err());
        assertEquals(List.of(), one.measures("word"));
    }
}
