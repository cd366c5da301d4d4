package lab.load;

import java.util.Arrays;
import lab.Phases;
import lab.Recorder;
import lab.Trial;

/**
 * What the producers send in each iteration, by its phase. At load 0 every iteration is saturated. Else warm-up goes
 * through every path (as fast as possible, paced, nothing, bursts), and the measured iterations have the rate asked
 * for, or that share of the capacity which the iterations before them have found.
 */
final class Timetable {
    /** Share of the last rate that warm-up iterations are paced at: no capacity is known yet. */
    private static final double WARMUP_SHARE = 0.5;

    private static final int WARMUP_KINDS = 4;
    private static final int PACED = 1;

    private final Load load;
    /** The iterations of the trial. */
    final Phases phases;

    private final int measured;
    private final Arrivals arrivals;
    private final Schedule[] schedules;
    private final Capacity capacity = new Capacity();
    private double lastRate;

    Timetable(Trial trial, Load load, int producers) {
        this.load = load;
        phases = load.phases(trial);
        measured = trial.parameters().getInt("iterations");
        arrivals = load.paced() ? new Arrivals(load.uniform(), load.seed()) : null;
        schedules = new Schedule[producers];
        Arrays.setAll(schedules, producer -> new Schedule());
    }

    /** What a producer sends in the iteration made last. */
    Schedule schedule(int producer) {
        return schedules[producer];
    }

    /** The first event of that iteration that consumers sample. */
    long settled() {
        return load.paced() ? schedules[0].settled() : 0;
    }

    /**
     * The event at which the consumer stalls: in the middle of the middle measured iteration, if at all. And of every
     * paced one of the warm-up: code that has never seen a stall is thrown away at its first.
     */
    long stallAt(int iteration) {
        boolean stalls = iteration == stalling() || phases.warmup(iteration) && iteration % WARMUP_KINDS == PACED;
        return load.stallMs() > 0 && stalls ? schedules[0].events / 2 : Long.MAX_VALUE;
    }

    /** The middle of the measured iterations; one later for each that was made again, which may have been it. */
    private int stalling() {
        int first = phases.first(Phases.MEASURED);
        return first + measured / 2 + phases.of(first).iterations() - measured;
    }

    /** Makes the schedules of an iteration; a {@link lab.Failure} of status 2 if they would be too long. */
    void make(int iteration) {
        for (int producer = 0; producer < schedules.length; producer++) {
            make(schedules[producer], iteration, Arrivals.place(iteration, producer, schedules.length));
        }
    }

    private void make(Schedule schedule, int iteration, int place) {
        Phases.Phase phase = phases.of(iteration);
        if (!load.paced()) {
            schedule.saturated(phase.nanos());
        } else if (phase.name().startsWith(Load.CAPACITY)) {
            if (capacity.rate() == 0) {
                schedule.saturated(phase.nanos());
            } else {
                schedule.paced(arrivals, place, capacity.rate() / schedules.length, phase.nanos());
            }
        } else if (phase.name().equals(Phases.MEASURED)) {
            schedule.paced(arrivals, place, rate() / schedules.length, phase.nanos());
        } else {
            warmUp(schedule, iteration, place, phase.nanos());
        }
    }

    private void warmUp(Schedule schedule, int iteration, int place, long nanos) {
        double rate = WARMUP_SHARE * lastRate / schedules.length;
        switch (rate == 0 ? 0 : iteration % WARMUP_KINDS) {
            case PACED -> schedule.paced(arrivals, place, rate, nanos);
            case 2 -> schedule.empty();
            case 3 -> schedule.bursts(arrivals, place, rate, nanos);
            default -> schedule.saturated(nanos);
        }
    }

    /** Events per second that the measured iterations are to have. */
    private double rate() {
        return load.rate() > 0 ? load.rate() : load.percent() / 100.0 * capacity.before();
    }

    /**
     * An iteration has ended.
     *
     * @param rate  at which it was handled while events were sent, in events per second; 0: it had none
     * @param nanos median time from an event's due time to its end
     */
    void handled(int iteration, double rate, double nanos) {
        if (rate > 0) {
            lastRate = rate;
        }
        if (phases.of(iteration).name().startsWith(Load.CAPACITY)) {
            capacity.ended(rate, load.bears(nanos));
        }
    }

    /** Leaves the capacity of what was under load, {@code name}, before and after, where a load is a share of it. */
    void leave(Recorder recorder, String name) {
        if (load.percent() > 0) {
            capacity.leave(name, (measure, value) -> recorder.measure(-1, measure, value));
        }
    }
}
