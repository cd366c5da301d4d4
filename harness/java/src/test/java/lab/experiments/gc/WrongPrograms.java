package lab.experiments.gc;

import java.util.List;
import lab.Experiment;
import lab.Parameter;
import lab.Parameters;
import lab.Trial;

/** The experiment with operations that do not do what they say: its checks have to notice. */
final class WrongPrograms implements Experiment {
    /** An array or operation of so many goes wrong. */
    private static final int RARE = 100;

    @Override
    public String name() {
        return "wrong_programs";
    }

    @Override
    public List<Variant> variants() {
        return List.of(Variant.of("losing"), Variant.of("skipping"), Variant.of("reusing"));
    }

    @Override
    public List<Parameter> parameters() {
        return new GcPause().parameters();
    }

    @Override
    public void run(Trial trial) {
        switch (trial.variant()) {
            case "losing" -> GcPause.measure(trial, Losing::new);
            case "skipping" -> GcPause.measure(trial, Skipping::new);
            default -> GcPause.measure(trial, Reusing::new);
        }
    }

    /** Loses a live array now and then. */
    private static final class Losing extends Garbage {
        private int kept;

        Losing(Parameters parameters) {
            super(parameters);
        }

        @Override
        void keep(byte[] array) {
            if (++kept % RARE != 0) {
                super.keep(array);
            }
        }
    }

    /** Leaves out an operation now and then. */
    private static final class Skipping extends Garbage {
        private int called;

        Skipping(Parameters parameters) {
            super(parameters);
        }

        @Override
        void operate() {
            if (++called % RARE != 0) {
                super.operate();
            }
        }
    }

    /** Makes one array, as a compiler that finds out that nobody looks at the others. */
    private static final class Reusing extends Garbage {
        private final byte[] array = super.make();

        Reusing(Parameters parameters) {
            super(parameters);
        }

        @Override
        byte[] make() {
            return array;
        }
    }
}
