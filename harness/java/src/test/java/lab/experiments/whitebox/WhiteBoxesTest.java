package lab.experiments.whitebox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import lab.Harness;
import lab.Main;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** In processes of their own: the interface is bound at start, and only to a class of the boot loader. */
class WhiteBoxesTest {
    private static final int MEASURED = 3;
    private static final List<String> DECLARED = List.of("jdk/test/whitebox/WhiteBox", "sun/hotspot/WhiteBox");
    private static final String SHIELD =
            "-XX:CompileCommand=CompileThresholdScaling,lab.experiments.whitebox.Site*::*,1000000.0";

    @TempDir
    Path folder;

    private String[] args(String line) {
        String all = "whitebox --warmup 1 --iterations " + MEASURED + " --iteration-ms 1 " + line;
        return Harness.words(all, folder.resolve("o.hlog")).toArray(new String[0]);
    }

    /** A folder with what the second jar holds. */
    private Path boot() throws IOException {
        Path boot = folder.resolve("boot");
        for (String name : DECLARED) {
            Path to = boot.resolve(name + ".class");
            Files.createDirectories(to.getParent());
            try (var from = Main.class.getResourceAsStream("/" + name + ".class")) {
                Files.copy(from, to);
            }
        }
        return boot;
    }

    private Harness.Result run(String line, String... flags) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(
                "-Xbootclasspath/a:" + boot(),
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:+DisplayVMOutputToStderr",
                "-XX:CompileCommand=quiet",
                SHIELD));
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of(args(line)));
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        int status = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start()
                .waitFor();
        return new Harness.Result(status, Files.readString(out), Files.readString(err));
    }

    private Harness.Result measured(String line, String... flags) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("-XX:+WhiteBoxAPI"));
        all.addAll(List.of(flags));
        Harness.Result result = run(line, all.toArray(new String[0]));
        assertEquals(0, result.status(), result.err());
        return result;
    }

    private static void assertAll(double expected, Harness.Result result, String measure) {
        assertEquals(Collections.nCopies(1 + MEASURED, expected), result.measures(measure));
    }

    @ParameterizedTest
    @ValueSource(strings = {"promotion", "call", "lock", "flags"})
    void whereTheClassIsNotOfTheBootLoaderTheFlagsAreNamed(String variant) {
        Harness.Result result = Harness.run(args("--variant " + variant));
        assertEquals(3, result.status(), result.err());
        assertTrue(result.err().contains("-Xbootclasspath/a:harness/java/target/lab-whitebox.jar"), result.err());
        assertFalse(Files.exists(folder.resolve("o.hlog")));
    }

    @Test
    void withoutTheSwitchTheInterfaceIsNotBound() throws Exception {
        Harness.Result result = run("--variant flags");
        assertEquals(3, result.status(), result.err());
        assertTrue(result.err().contains("-XX:+WhiteBoxAPI"), result.err());
    }

    @ParameterizedTest
    @CsvSource({"UseSerialGC, 0", "UseSerialGC, 4", "UseParallelGC, 2", "UseG1GC, 1"})
    void anObjectIsOldAfterOneCollectionMoreThanTheThreshold(String collector, int threshold) throws Exception {
        Harness.Result result = measured(
                "--variant promotion --threshold " + threshold,
                "-XX:+" + collector,
                "-XX:-UseAdaptiveSizePolicy",
                "-XX:MaxTenuringThreshold=" + threshold);
        assertAll(threshold + 1, result, "collections");
        for (Histogram each : Harness.log(folder.resolve("o.hlog"))) {
            assertEquals(threshold + 1, each.getTotalCount());
        }
    }

    @Test
    void aThresholdThatTheMachineWasNotToldIsRefused() throws Exception {
        Harness.Result result = run(
                "--variant promotion --threshold 3",
                "-XX:+WhiteBoxAPI",
                "-XX:+UseSerialGC",
                "-XX:MaxTenuringThreshold=2");
        assertEquals(4, result.status(), result.err());
        assertTrue(result.err().contains("MaxTenuringThreshold: expected 3, found 2"), result.err());
    }

    @Test
    void aCollectorWithoutGenerationsIsNotAsked() throws Exception {
        Harness.Result result =
                run("--variant promotion", "-XX:+WhiteBoxAPI", "-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC");
        assertEquals(3, result.status(), result.err());
        assertTrue(result.err().contains("generations"), result.err());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void aCallSiteStaysAtTheTierAskedFor(int tier) throws Exception {
        Harness.Result result = measured("--variant call --classes 3 --tier " + tier);
        assertEquals(
                "calls", result.json().get("iterations").get("series").get(0).asText());
        List<Histogram> log = Harness.log(folder.resolve("o.hlog"));
        for (int i = 0; i < log.size(); i++) {
            assertEquals(
                    result.json().get("iterations").get("operations").get(i).asLong(),
                    4096 * log.get(i).getTotalCount());
        }
    }

    @Test
    void aTierThatIsNotReachedIsRefused() throws Exception {
        Harness.Result result = run("--variant call --tier 4", "-XX:+WhiteBoxAPI", "-Xint");
        assertEquals(4, result.status(), result.err());
        assertTrue(result.err().contains("methods at tier 4 before: expected 2, found 0"), result.err());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void callsReturnWhatALoopWithoutCallsComputes(int classes) {
        assertEquals(
                Site.expected(classes, 5, 9),
                Site.call(Site.receivers(classes), 5 * Site.PERIOD, 9),
                classes + " classes");
        assertTrue(Site.expected(classes, 4, 9) != Site.expected(classes, 5, 9));
    }

    /** Causes that do the same on every JDK; what the others do is what the experiment asks. */
    @ParameterizedTest
    @CsvSource({
        "fresh, 0",
        "held, 0",
        "hashed_before, 0",
        "notified, 0",
        "waited, 1",
        "contended, 1",
        "deflated, 0",
    })
    void aCauseInflatesTheLockOrNot(String cause, int inflated) throws Exception {
        assertAll(inflated, measured("--variant lock --cause " + cause), "inflated");
    }

    @Test
    void whatTheInterfaceCanDoIsCounted() throws Exception {
        Harness.Result result = measured("--variant flags", "-XX:+UseSerialGC");
        assertTrue(result.measures("natives_declared").get(0) > 10);
        assertEquals(result.measures("natives_declared"), result.measures("natives_bound"));
        assertEquals(List.of(1.0), result.measures("old_name_binds"));
        assertEquals(result.measures("tiers_asked"), result.measures("tiers_reached"));
        assertEquals(List.of(1.0), result.measures("flag_changed"));
        assertAll(1, result, "threshold_changed");
        assertAll(1, result, "threshold_acts");
        assertAll(2, result, "collections_low");
        assertAll(16, result, "collections");
    }

    /** Not below the initial threshold; nothing is said. */
    @Test
    void theParallelCollectorRefusesTheThreshold() throws Exception {
        Harness.Result result = measured("--variant flags", "-XX:+UseParallelGC");
        assertAll(0, result, "threshold_changed");
        assertAll(0, result, "threshold_acts");
    }
}
