package lab;

import java.util.List;
import java.util.function.Consumer;

/** An experiment that is whatever it is told to do. */
record Scripted(Consumer<Trial> script) implements Experiment {
    @Override
    public String name() {
        return "scripted";
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
