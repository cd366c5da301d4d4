package lab.experiments.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import lab.Harness;
import lab.Scripted;
import lab.Series;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HandOversTest {
    private static final int SECTION = 20;

    @TempDir
    Path folder;

    /** Logs of a lock whose schedule is known; what they must say. */
    private static final class Made {
        final OwnerLog[] logs;
        final List<Long> handOvers = new ArrayList<>();
        final List<Long> waits = new ArrayList<>();
        final List<Long> residences = new ArrayList<>();

        Made(int threads) {
            logs = new OwnerLog[threads];
            for (int i = 0; i < threads; i++) {
                logs[i] = new OwnerLog(1 << 10, 1);
                logs[i].prepare(0, true);
                logs[i].opens(0);
            }
        }
    }

    /**
     * A lock of three threads, owned for random lengths by random ones, whose sections take 20 ns and whose hand-overs
     * take random times.
     *
     * @param marks the clock is read after so many operations of a run, where it has as many; 0: never
     */
    private static Made made(Random random, int marks, int longest) {
        Made made = new Made(3);
        long[] ends = {-1, -1, -1};
        boolean[] in = new boolean[3];
        long nanos = 100;
        long count = 0;
        int owner = 0;
        int runs = 400;
        for (int run = 0; run <= runs; run++) {
            int length = 1 + random.nextInt(longest);
            OwnerLog log = made.logs[owner];
            log.add(nanos, count);
            log.mark = 0;
            if (marks > 0 && length > marks) {
                log.ended(nanos + (long) marks * SECTION, count + marks);
            }
            if (!in[owner]) { // what counts begins when all have been in
                in[owner] = true;
                Arrays.fill(ends, -1);
                List.of(made.handOvers, made.waits, made.residences).forEach(List::clear);
            }
            if (run == runs) { // the open one
                break;
            }
            if (ends[owner] >= 0) {
                made.waits.add(nanos - ends[owner]);
                made.residences.add(nanos - ends[owner]);
            }
            made.residences.addAll(Collections.nCopies(length - 1, (long) SECTION));
            // Between two readings of the clock all but the first operation lie, where nothing was marked.
            long handOver = 200 + random.nextInt(50);
            ends[owner] = nanos + (marks > 0 && length > marks ? length : length - 1) * (long) SECTION;
            nanos = ends[owner] + handOver;
            made.handOvers.add(handOver);
            count += length;
            owner = (owner + 1 + random.nextInt(2)) % 3;
        }
        for (OwnerLog log : made.logs) {
            log.last = Long.MAX_VALUE;
        }
        return made;
    }

    private interface Filling {
        void fill(HandOvers found, Series series);
    }

    private List<Long> values(HandOvers found, Filling filling) {
        String line = "scripted --variant v --warmup 0 --iterations 1";
        Path out = folder.resolve("values.hlog");
        Harness.Result result = Harness.run(
                List.of(new Scripted(trial -> {
                    Series series = trial.recorder().series("values");
                    filling.fill(found, series);
                    trial.recorder().append(series, 0, "measured", System.nanoTime(), System.nanoTime(), 1);
                })),
                Harness.words(line, out).toArray(new String[0]));
        assertEquals(0, result.status(), result.err());
        List<Long> values = new ArrayList<>();
        try {
            for (Histogram histogram : Harness.log(out)) {
                histogram
                        .recordedValues()
                        .forEach(each -> values.addAll(Collections.nCopies(
                                (int) each.getCountAtValueIteratedTo(), each.getValueIteratedTo())));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return values;
    }

    private static void assertAlike(List<Long> expected, List<Long> actual, long within) {
        Collections.sort(expected);
        assertEquals(expected.size(), actual.size());
        for (int i = 0; i < expected.size(); i++) {
            // Three digits of a histogram.
            long near = within + expected.get(i) / 1000;
            assertTrue(
                    Math.abs(expected.get(i) - actual.get(i)) <= near,
                    i + ": " + expected.get(i) + ", " + actual.get(i));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void whatWasPutInComesOut(long seed) {
        for (int marks : new int[] {16, 40}) {
            Made made = made(new Random(seed), marks, 200);
            HandOvers found = new HandOvers(OwnerRunsTest.runs(made.logs));
            assertEquals(SECTION, found.section, 1e-9);
            assertAlike(made.handOvers, values(found, HandOvers::handOvers), 1);
            assertAlike(made.waits, values(found, HandOvers::waits), 1);
            assertAlike(made.residences, values(found, HandOvers::residences), 1);
            double mean =
                    made.handOvers.stream().mapToLong(each -> each).average().orElseThrow();
            assertEquals(mean, found.mean(), 1e-6 * mean);
            assertEquals(0, found.hidden);
        }
    }

    @Test
    void withoutMarksTheSectionIsTheSlopeOfTails() {
        Made made = made(new Random(7), 0, 30);
        HandOvers found = new HandOvers(OwnerRunsTest.runs(made.logs));
        // Hand-overs scatter by 50 ns, and tails that are compared differ by 15 operations.
        assertEquals(SECTION, found.section, 1);
        assertAlike(made.handOvers, values(found, HandOvers::handOvers), 30);
    }

    @Test
    void runsOfOneOperationTellNoSectionAndNeedNone() {
        Made made = made(new Random(8), 0, 1);
        HandOvers found = new HandOvers(OwnerRunsTest.runs(made.logs));
        assertTrue(Double.isNaN(found.section));
        assertAlike(made.handOvers, values(found, HandOvers::handOvers), 0);
        assertAlike(made.waits, values(found, HandOvers::waits), 0);
        assertAlike(made.residences, values(found, HandOvers::residences), 0);
    }

    @Test
    void ofAnAtomicCounterReadingsMayBeTheOtherWayRound() {
        OwnerLog[] logs = OwnerRunsTest.logs(16);
        logs[0].add(50, 0);
        logs[1].add(60, 1);
        logs[0].add(55, 2);
        logs[1].add(70, 3);
        logs[0].add(80, 4);
        logs[0].last = logs[1].last = 80;
        HandOvers found = new HandOvers(OwnerRunsTest.runs(logs));
        assertEquals(List.of(0L, 10L, 15L), values(found, HandOvers::handOvers));
        assertEquals(List.of(15L), values(found, HandOvers::waits), "the second began at 55 at the latest");
    }

    @Test
    void theMedianBetweenIsThatOfOthersOperations() {
        OwnerLog[] logs = OwnerRunsTest.logs(16, 2, 3, 1, 4, 1);
        OwnerRuns runs = OwnerRunsTest.runs(logs);
        assertEquals(1, new HandOvers(runs).medianBetween(), "of thread 1; the runs before and after are not whole");
        assertTrue(Double.isNaN(new HandOvers(OwnerRunsTest.runs(OwnerRunsTest.logs(16, 2, 3))).medianBetween()));
    }
}
