package lab.experiments.clocks;

import java.util.List;
import lab.Experiment;
import lab.Parameter;
import lab.Trial;

/** The clock experiment with clocks and loops that are wrong: its checks have to notice. */
final class WrongClocks implements Experiment {
    @Override
    public String name() {
        return "wrong_clocks";
    }

    @Override
    public List<Variant> variants() {
        return List.of(
                Variant.of("stepping_back"),
                Variant.of("idle_stepping_back"),
                Variant.of("losing"),
                Variant.of("behind"),
                Variant.of("wall_clock_set_back"));
    }

    @Override
    public List<Parameter> parameters() {
        return new ClockCost().parameters();
    }

    @Override
    public void run(Trial trial) {
        switch (trial.variant()) {
            case "stepping_back" -> ClockCost.read(trial, new SteppingBack(true));
            case "idle_stepping_back" -> ClockCost.watch(trial, new SteppingBack(true));
            case "wall_clock_set_back" -> ClockCost.read(trial, new SteppingBack(false));
            case "behind" -> ClockCost.compare(trial, new TimeSource.NanoTime(), new Behind());
            default -> ClockCost.read(trial, new Losing(trial));
        }
    }

    /** Steps back by a microsecond every 1000 readings. */
    private static final class SteppingBack extends TimeSource {
        private int reads;

        SteppingBack(boolean monotonic) {
            super(1, monotonic);
        }

        @Override
        long read() {
            reads++;
            return System.nanoTime() - (reads % 1000 == 0 ? 1000 : 0);
        }
    }

    /** Behind the clock of the other thread by more than a round trip takes on the busiest host. */
    private static final class Behind extends TimeSource {
        Behind() {
            super(1, true);
        }

        @Override
        long read() {
            return System.nanoTime() - 60_000_000_000L;
        }
    }

    /** Does not store the last reading of a stretch. */
    private static final class Losing extends Reads {
        Losing(Trial trial) {
            super(trial, new TimeSource.NanoTime());
        }

        @Override
        void fill(long[] readings, int count) {
            super.fill(readings, count);
            readings[count - 1] = readings[count - 2];
        }
    }
}
