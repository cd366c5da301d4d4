package lab.experiments.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import lab.Harness;
import lab.Main;
import lab.Scripted;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DispatchTest {
    @TempDir
    Path folder;

    private Path out() {
        return folder.resolve("o.hlog");
    }

    private String[] args(String experiment, String... more) {
        List<String> args =
                Harness.words(experiment + " --warmup 1 --iterations 2 --iteration-ms 1", out(), "--variant");
        args.addAll(List.of(more));
        return args.toArray(new String[0]);
    }

    private Harness.Result run(String... more) {
        return Harness.run(args("dispatch", more));
    }

    private static String column(Harness.Result result, String name) {
        return result.json().get("iterations").get(name).toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "receivers",
                "receivers --classes 2",
                "receivers --classes 3",
                "receivers --classes 8",
                "receivers --classes 5 --warmup-style long",
                "receivers --classes 4 --seed 7",
                "receivers --classes 3 --period 64",
                "receivers --classes 3 --chains 8",
                "inlined --chains 8",
                "inlined",
                "inlined --classes 4",
                "interfaces",
                "interfaces --position 17",
                "interfaces --position 32",
                "superclass",
                "superclass --position 32",
                "arguments",
                "arguments --arguments 1",
                "arguments --arguments 2",
                "arguments --arguments 3",
                "arguments --arguments 4",
                "arguments --arguments 5",
                "arguments --arguments 6",
            })
    void batchesOfCalls(String variant) throws IOException {
        Harness.Result result = run(variant.split(" "));
        assertEquals(0, result.status(), result.err());
        assertEquals("[0,1,2]", column(result, "iteration"));
        assertEquals("[\"warmup\",\"measured\",\"measured\"]", column(result, "phase"));
        assertEquals("[\"calls\",\"calls\",\"calls\"]", column(result, "series"));
        JsonNode operations = result.json().get("iterations").get("operations");
        List<Histogram> log = Harness.log(out());
        assertEquals(3, log.size());
        long batches = 0;
        for (int row = 0; row < 3; row++) {
            assertEquals("calls", log.get(row).getTag());
            assertEquals(
                    1024 * log.get(row).getTotalCount(), operations.get(row).asLong());
            assertTrue(operations.get(row).asLong() > 0);
            batches += log.get(row).getTotalCount();
        }
        assertEquals(
                "sum of the values after " + batches + " batches of 1024 calls",
                result.json().get("checks").get(0).get("name").asText());
    }

    @Test
    void stepsInTheHistoricalOrder() throws IOException {
        Harness.Result result = run("steps", "--operations", "1000", "--loops", "2");
        assertEquals(0, result.status(), result.err());
        JsonNode rows = result.json().get("iterations");
        String[] series = {"inc7", "dec3", "inc1", "dec1"};
        List<Histogram> log = Harness.log(out());
        assertEquals(2 * 4 * 2, log.size());
        for (int row = 0; row < log.size(); row++) {
            assertEquals(row, rows.get("iteration").get(row).asInt());
            assertEquals("loop" + row / 8, rows.get("phase").get(row).asText());
            assertEquals(series[row / 2 % 4], rows.get("series").get(row).asText());
            assertEquals(series[row / 2 % 4], log.get(row).getTag());
            assertEquals(1000, rows.get("operations").get(row).asLong());
            assertEquals(1, log.get(row).getTotalCount());
        }
        assertEquals(0, result.json().get("parameters").get("warmup").asInt());
        // 1000 steps are past the fixed point, which is minus the addend; 4 sections each.
        JsonNode checks = result.json().get("checks");
        assertEquals(
                "sum of the final values of inc7", checks.get(0).get("name").asText());
        assertEquals("-28", checks.get(0).get("actual").asText());
        assertEquals("12", checks.get(1).get("actual").asText());
    }

    @Test
    void thresholdRowsOfOneHundredInvocations() {
        Harness.Result result = run("compile_threshold");
        assertEquals(0, result.status(), result.err());
        JsonNode operations = result.json().get("iterations").get("operations");
        assertEquals(300, operations.size());
        operations.forEach(each -> assertEquals(100, each.asLong()));
        assertTrue(column(result, "phase").startsWith("[\"measured\",\"measured\""));
        assertEquals(300, result.json().get("parameters").get("iterations").asInt());
        assertEquals(0, result.json().get("parameters").get("warmup").asInt());
    }

    @Test
    void aCallOfTheWrongReceiverIsNoticed() {
        Scripted wrong = Scripted.inPlaceOf(new Dispatch(), WrongCalls::run);
        Harness.Result result = Harness.run(List.of(wrong), args("scripted", "v"));
        assertEquals(4, result.status());
        assertTrue(result.err().contains("sum of the values"), result.err());
        assertFalse(result.json().get("checks").get(0).get("passed").asBoolean());
    }

    @Test
    void oneLongInvocationHasNoLoopOfChains() {
        Harness.Result result = run("receivers", "--warmup-style", "long", "--chains", "8");
        assertEquals(2, result.status());
        assertTrue(result.err().contains("--chains 8"), result.err());
    }

    @ParameterizedTest
    @CsvSource({
        "receivers, --threads, 2",
        "receivers, --classes, 9",
        "receivers, --classes, 0",
        "interfaces, --position, 33",
        "superclass, --position, 0",
        "arguments, --arguments, 7",
        "inlined, --warmup-style, long",
        "steps, --warmup-style, long",
        "steps, --operations, 0",
        "steps, --loops, 0",
        "receivers, --seed, -1",
        "receivers, --period, 32",
        "receivers, --period, 100",
        "receivers, --period, 524288",
        "receivers, --chains, 2",
        "interfaces, --chains, 8",
    })
    void badArgument(String variant, String argument, String value) {
        Harness.Result result = run(variant, argument, value);
        assertEquals(2, result.status(), result.err());
        assertTrue(result.err().contains(argument + " " + value), result.err());
        assertFalse(Files.exists(out()));
    }

    /** Lines of the class loading log of a process of its own, as {@code nanoseconds name}. */
    private List<String> loaded(String... more) throws IOException, InterruptedException {
        Path log = folder.resolve("loaded.log");
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-Xlog:class+load:file=" + log + ":timenanos",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(args("dispatch", more)));
        Path json = folder.resolve("o.json");
        int status = new ProcessBuilder(command)
                .redirectOutput(json.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        assertEquals(0, status);
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(log)) {
            if (line.contains(" lab.experiments.dispatch.")) {
                lines.add(line.replaceFirst("^\\[(\\d+)ns\\] (\\S+).*", "$1 $2"));
            }
        }
        return lines;
    }

    @Test
    void onlyTheReceiversUsedAreLoaded() throws IOException, InterruptedException {
        List<String> receivers = new ArrayList<>();
        for (String line : loaded("receivers", "--classes", "3")) {
            String name = line.substring(line.lastIndexOf('.') + 1);
            if (name.matches("Receiver\\d+|Steps.*|Other\\d+")) {
                receivers.add(name);
            }
        }
        assertEquals(List.of("Receiver0", "Receiver1", "Receiver2"), receivers);
    }

    @Test
    void eachStepLoadsItsClassWhenItsTurnComes() throws IOException, InterruptedException {
        List<String> names = new ArrayList<>();
        List<Long> times = new ArrayList<>();
        for (String line : loaded("steps", "--operations", "1000")) {
            if (line.contains("Steps$")) {
                names.add(line.substring(line.indexOf('$') + 1));
                times.add(Long.parseLong(line.substring(0, line.indexOf(' '))));
            }
        }
        assertEquals(List.of("Inc7", "Dec3", "Inc1", "Dec1"), names);
        JsonNode starts = new ObjectMapper()
                .readTree(folder.resolve("o.json").toFile())
                .get("iterations")
                .get("start_ns");
        for (int id = 0; id < 4; id++) {
            assertTrue(times.get(id) < starts.get(2 * id).asLong(), names.get(id) + " is loaded before it is called");
            assertTrue(
                    id == 0 || times.get(id) > starts.get(2 * id - 1).asLong(),
                    names.get(id) + " is not loaded while the class before is measured");
        }
    }
}
