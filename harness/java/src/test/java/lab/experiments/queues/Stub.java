package lab.experiments.queues;

import java.util.List;
import java.util.function.Function;
import lab.Experiment;
import lab.Parameter;
import lab.Trial;

/** The experiment with a structure that is not its own. */
record Stub(Topology topology, long graceNanos, Function<Trial, Structure> structure) implements Experiment {
    static final String VARIANT = "stub";

    @Override
    public String name() {
        return "stub";
    }

    @Override
    public List<Variant> variants() {
        return List.of(Variant.of(VARIANT));
    }

    @Override
    public List<Parameter> parameters() {
        return new Queues().parameters();
    }

    @Override
    public void run(Trial trial) {
        Queues.measure(trial, topology, structure.apply(trial), graceNanos);
    }
}
