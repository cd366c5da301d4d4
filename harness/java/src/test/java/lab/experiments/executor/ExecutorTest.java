package lab.experiments.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import lab.Experiment;
import lab.Failure;
import lab.Harness;
import lab.Native;
import lab.VirtualThreads;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every pool under load, and parameters that are wrong. */
class ExecutorTest {
    private static final List<String> ALONE = List.of("caller", "single", "virtual");

    @TempDir
    Path folder;

    private Path out() {
        return folder.resolve("o.hlog");
    }

    private String[] args(String variant, String more) {
        String line = "executor --variant " + variant + " --warmup 4 --iterations 3 --iteration-ms 5 " + more;
        return Harness.words(line.trim(), out()).toArray(new String[0]);
    }

    private static List<String> variants() {
        List<String> names = new ArrayList<>();
        for (Experiment.Variant each : new Executor().variants()) {
            if (each.supported()) {
                names.add(each.name());
            }
        }
        return names;
    }

    static Stream<Arguments> cases() {
        List<Arguments> cases = new ArrayList<>();
        for (String variant : variants()) {
            cases.add(Arguments.of(variant, "--producers 1", 1, 1));
            cases.add(Arguments.of(variant, "--producers 2 --window 16 --tasks fresh", 2, 1));
            cases.add(Arguments.of(variant, "--producers 1 --rate 200000 --spin 10", 1, 1));
            if (!ALONE.contains(variant)) {
                cases.add(Arguments.of(variant, "--producers 2 --workers 3 --window 64", 2, 3));
                cases.add(Arguments.of(variant, "--producers 2 --workers 2 --load 50", 2, 2));
            }
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyTaskRunsOnce(String variant, String more, int producers, int workers) throws IOException {
        Harness.Result result = assertTimeoutPreemptively(Harness.PATIENCE, () -> Harness.run(args(variant, more)));
        assertEquals(0, result.status(), result.err());
        assertEquals(producers, result.json().get("parameters").get("threads").asInt());
        Set<String> series = new HashSet<>();
        result.json().get("iterations").get("series").forEach(each -> series.add(each.asText()));
        int consumers = variant.equals("caller") ? producers : workers;
        for (int i = 0; i < consumers; i++) {
            assertTrue(series.contains("c" + i), series.toString());
        }
        boolean paced = more.contains("--rate") || more.contains("--load");
        assertEquals(paced, series.contains("intended"));
        assertEquals(!paced, series.contains("full"));
        assertEquals(paced && producers == 1 && !List.of("fjp", "virtual").contains(variant), series.contains("busy"));
        double handled =
                result.measures("handled").stream().mapToDouble(each -> each).sum();
        assertTrue(handled > 0);
        assertEquals(operations(result), handled);
        assertEquals(3, result.measures("allocated_bytes").size());
        assertTrue(result.json().get("checks").findValuesAsText("name").contains("tasks that ran more than once"));
        assertEquals(1, Files.list(folder).count());
    }

    /** At a low rate a worker that looks for tasks looks in vain; a pool of a library's does not tell how often. */
    @ParameterizedTest
    @MethodSource("variants")
    void looksInVainAreCountedWhereTheWorkerIsOurs(String variant) {
        Harness.Result result = Harness.run(args(variant, "--rate 20000"));
        assertEquals(0, result.status(), result.err());
        List<Double> polls = result.measures("failed_polls");
        assertEquals(variant.startsWith("lockfree") ? 3 : 0, polls.size(), polls.toString());
        assertTrue(polls.stream().mapToDouble(each -> each).sum() > 0 == polls.size() > 0, polls.toString());
    }

    /** Operations of the workers in all iterations but those of the warm-up, which leave no measures. */
    private static double operations(Harness.Result result) {
        JsonNode rows = result.json().get("iterations");
        double sum = 0;
        for (int row = 0; row < rows.get("series").size(); row++) {
            if (!rows.get("phase").get(row).asText().equals("warmup")
                    && rows.get("series").get(row).asText().matches("c\\d+")) {
                sum += rows.get("operations").get(row).asLong();
            }
        }
        return sum;
    }

    @Test
    void reusedTasksAllocateNothingAndFreshOnesDo() {
        for (String tasks : List.of("reused", "fresh")) {
            Harness.Result result = Harness.run(args("lockfree_spin", "--producers 3 --workers 2 --tasks " + tasks));
            List<Double> bytes = result.measures("allocated_bytes");
            List<Double> handled = result.measures("handled");
            for (int i = 0; i < bytes.size(); i++) {
                double each = bytes.get(i) / handled.get(i);
                assertEquals(tasks.equals("reused") ? 0 : 136, each, 5);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tpe_lbq | --producers 0 | --producers 0: must be from 1 to 64",
                "tpe_lbq | --producers 65 | --producers 65: must be from 1 to 64",
                "tpe_lbq | --workers 65 | --workers 65: must be from 1 to 64",
                "tpe_lbq | --window 100 | --window 100: must be a power of two",
                "tpe_lbq | --window 65536 --producers 17 | --window 65536: with --producers 17 more than 1048576",
                "tpe_lbq | --tasks old | --tasks old: must be one of reused, fresh",
                "tpe_lbq | --threads 2 | --threads 2: leave it out",
                "tpe_lbq | --load 121 | --load 121: must be from 0 to 120",
                "tpe_lbq | --load 10 --rate 10 | --rate 10: give it or --load 10, not both",
                "single | --workers 2 | --workers 2: single takes 1",
                "caller | --workers 2 | --workers 2: caller takes 1",
            })
    void badArgumentsAreNamed(String variant, String more, String error) throws IOException {
        Harness.Result result = Harness.run(args(variant, more));
        assertEquals(Failure.BAD_ARGUMENT, result.status(), result.err());
        assertTrue(result.err().startsWith("lab: " + error), result.err());
        assertEquals(0, Files.list(folder).count());
    }

    @Test
    void workersArePinnedAfterTheProducersAndReadBack() {
        Harness.Result result = Harness.run(args("lockfree_park", "--producers 2 --workers 2 --cpus 0"));
        if (!Native.available()) {
            assertEquals(Failure.NO_RESOURCES, result.status());
            return;
        }
        assertEquals(Failure.MEASURED, result.status(), result.err());
        JsonNode pinning = result.json().get("pinning");
        assertEquals(4, pinning.size());
        for (int thread = 0; thread < pinning.size(); thread++) {
            assertEquals(
                    "{\"thread\":" + thread + ",\"requested\":0,\"observed\":[0]}",
                    pinning.get(thread).toString());
        }
        assertEquals(3, result.measures("worker_switches_voluntary").size());
    }

    /** The CPU of a pool's thread is read before the workers come and after they have gone: at both ends. */
    @Test
    void theStateOfThePoolsCpuIsReadAtBothEnds() {
        int[] cpus = Native.available() ? Native.affinity() : new int[0];
        Assumptions.assumeTrue(cpus.length > 1);
        String where = " --cpus " + cpus[0] + "," + cpus[1];
        JsonNode read = Harness.run(args("lockfree_spin", "--producers 1 --workers 1" + where))
                .json()
                .get("readings");
        List<Integer> gaps = new ArrayList<>();
        List<Integer> ends = new ArrayList<>();
        for (int i = 0; i < read.get("thread").size(); i++) {
            boolean beside = read.get("thread").get(i).asInt() == 1;
            (beside ? ends : gaps).add(read.get("iteration").get(i).asInt());
            assertEquals(!beside, read.get("word_ns").get(i).isNull(), read.toString());
        }
        assertEquals(List.of(gaps.get(0), gaps.get(gaps.size() - 1)), ends, read.toString());
        JsonNode alone = Harness.run(args("caller", "--producers 1" + where)).json();
        assertFalse(alone.get("readings").get("thread").toString().contains("1"), alone.toString());
        JsonNode crowded = Harness.run(args("lockfree_spin", "--producers 1 --workers 2" + where))
                .json();
        assertTrue(crowded.get("readings").isNull(), "three threads on two CPUs");
    }

    @Test
    void virtualThreadsNeedALaterRuntime() {
        if (VirtualThreads.missing().isEmpty()) {
            return;
        }
        Harness.Result result = Harness.run(args("virtual", ""));
        assertEquals(Failure.UNSUPPORTED, result.status());
        assertTrue(result.err().contains("virtual threads need JDK 21 or later"), result.err());
    }
}
