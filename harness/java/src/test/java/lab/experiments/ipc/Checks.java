package lab.experiments.ipc;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import lab.Experiment;
import lab.Harness;
import lab.Parameter;
import lab.Trial;

/** Whether the checks passed that a script leaves in the recorder of a trial, in order. */
record Checks(Consumer<Trial> script) implements Experiment {
    static List<Boolean> of(Path folder, Consumer<Trial> script) {
        String line = "script --variant v --warmup 0 --iterations 1";
        List<String> args = Harness.words(line, folder.resolve("checks.hlog"));
        JsonNode checks = Harness.run(List.of(new Checks(script)), args.toArray(new String[0]))
                .json()
                .get("checks");
        List<Boolean> passed = new ArrayList<>();
        // The last is the one that every trial has.
        for (int i = 0; i < checks.size() - 1; i++) {
            passed.add(checks.get(i).get("passed").asBoolean());
        }
        return passed;
    }

    @Override
    public String name() {
        return "script";
    }

    @Override
    public List<Variant> variants() {
        return List.of(Variant.of("v"));
    }

    @Override
    public List<Parameter> parameters() {
        return List.of();
    }

    @Override
    public void run(Trial trial) {
        script.accept(trial);
    }
}
