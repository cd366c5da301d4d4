package lab;

import java.util.List;

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
