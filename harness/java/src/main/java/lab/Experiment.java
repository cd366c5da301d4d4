package lab;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * One question. An implementation is cheap to construct, since {@code --list} and every trial construct all of them:
 * kernels and data belong to {@link #run}.
 */
public interface Experiment {
    /** One thing compared; {@code reason} says why this runtime cannot run it, and is empty where it can. */
    record Variant(String name, String reason) {
        /** A variant every runtime supports. */
        public static Variant of(String name) {
            return new Variant(name, "");
        }

        /** Variants that every runtime supports. */
        public static List<Variant> all(String... names) {
            return all(name -> "", names);
        }

        /** @param missing why this runtime cannot run the variant of a name; empty where it can */
        public static List<Variant> all(UnaryOperator<String> missing, String... names) {
            List<Variant> variants = new ArrayList<>();
            for (String name : names) {
                variants.add(new Variant(name, missing.apply(name)));
            }
            return variants;
        }

        public boolean supported() {
            return reason.isEmpty();
        }
    }

    /** The name on the command line and in the catalogue. */
    String name();

    /** Everything {@code --variant} accepts. */
    List<Variant> variants();

    /** The experiment's own parameters, besides those of every experiment. */
    List<Parameter> parameters();

    /**
     * Runs the trial and leaves rows, measures and at least one check in {@code trial.recorder()}.
     *
     * @throws Failure if the trial cannot be run; a failed check is not thrown but recorded
     */
    void run(Trial trial);
}
