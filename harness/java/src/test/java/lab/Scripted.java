package lab;

import java.util.List;
import java.util.function.Consumer;

/**
 * An experiment, {@code scripted} with the variant {@code v}, that is whatever it is told to do.
 *
 * @param parameters those it declares
 */
public record Scripted(List<Parameter> parameters, Consumer<Trial> script) implements Experiment {
    /** One without parameters of its own. */
    public Scripted(Consumer<Trial> script) {
        this(List.of(), script);
    }

    /** One in place of another, whose parameters it takes: with a part that is wrong. */
    public static Scripted inPlaceOf(Experiment right, Consumer<Trial> script) {
        return new Scripted(right.parameters(), script);
    }

    @Override
    public String name() {
        return "scripted";
    }

    @Override
    public List<Variant> variants() {
        return List.of(Variant.of("v"));
    }

    @Override
    public void run(Trial trial) {
        script.accept(trial);
    }
}
