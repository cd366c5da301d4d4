package lab.experiments.locks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import lab.Clock;
import lab.Series;
import lab.Trial;
import lab.Workers;

/**
 * The logs of a trial, one of each thread. Every second iteration is logged; the others show what that costs. All is
 * put together when the trial is over.
 */
final class OwnerLogs implements Workers.Opening {
    private static final int FEWEST = 3;

    /** A measured iteration that was logged. */
    private record Logged(int iteration, long begun, OwnerLog.Stretch[] stretches) {}

    private final Trial trial;
    private final SharedCounter counter;
    private final OwnerLog[] logs;
    private final boolean outside;
    private final double clockNanos;
    private final List<Logged> kept = new ArrayList<>();
    /** Operations of measured iterations that were logged, and of those that were not. */
    private final List<Double> logged = new ArrayList<>();

    private final List<Double> unlogged = new ArrayList<>();
    private long begun;

    /** @param logs by thread; none: nothing is logged */
    OwnerLogs(Trial trial, SharedCounter counter, OwnerLog[] logs) {
        this.trial = trial;
        this.counter = counter;
        this.logs = logs;
        outside = trial.parameters().getInt("outside") > 0;
        clockNanos = outside ? Clock.readCost() : 0;
        prepare(0);
    }

    /** New ones; the compiler has been shown what they do. */
    static OwnerLog[] of(Trial trial, int capacity) {
        if (trial.parameters().getInt("outside") == 0) {
            OwnerLog.train();
        }
        OwnerLog[] logs = new OwnerLog[trial.threads()];
        int iterations = trial.parameters().getInt("iterations") / 2 + 1;
        Arrays.setAll(logs, i -> new OwnerLog(capacity, iterations));
        return logs;
    }

    private static boolean logs(int iteration) {
        return iteration % 2 == 0;
    }

    private void prepare(int iteration) {
        for (OwnerLog log : logs) {
            log.prepare(counter.value(), logs(iteration));
        }
    }

    @Override
    public void opens(int iteration, long deadline) {
        begun = System.nanoTime();
        for (OwnerLog log : logs) {
            log.opens(begun);
        }
    }

    /**
     * Keeps the logs of an iteration that counts and makes room for the next.
     *
     * @param operations of all threads
     */
    void ended(int iteration, long operations) {
        if (trial.phases().measured(iteration)) {
            (logs(iteration) ? logged : unlogged).add((double) operations);
            if (logs(iteration)) {
                OwnerLog.Stretch[] stretches =
                        Arrays.stream(logs).map(OwnerLog::keep).toArray(OwnerLog.Stretch[]::new);
                kept.add(new Logged(iteration, begun, stretches));
            }
        }
        prepare(iteration + 1);
    }

    /** Leaves, after the last iteration, what the logs say. With one thread that is nothing. */
    void leave() {
        if (logs.length < 2) {
            return;
        }
        if (outside) {
            leaveServices();
        } else {
            leaveHandOvers();
        }
        if (Math.min(logged.size(), unlogged.size()) >= FEWEST) {
            // How much less is done where the log is kept: 1.05 is 5 %.
            trial.recorder().measure(-1, "log_cost", median(unlogged) / median(logged));
        }
    }

    private void leaveHandOvers() {
        Series handOver = trial.recorder().series("handover");
        Series wait = trial.recorder().series("wait");
        Series residence = trial.recorder().series("residence");
        Series owned = trial.recorder().series("owned");
        for (Logged each : kept) {
            OwnerRuns runs = new OwnerRuns(each.stretches());
            if (runs.runs > 0) {
                HandOvers found = new HandOvers(runs);
                found.handOvers(handOver);
                found.waits(wait);
                found.residences(residence);
                found.lengths(owned);
                append(each, runs.nanos(), runs.operations(), handOver, wait, residence, owned);
                leave(each.iteration(), runs, found);
            }
        }
    }

    private void leaveServices() {
        Series free = trial.recorder().series("service_free");
        Series queued = trial.recorder().series("service_queued");
        for (Logged each : kept) {
            LockServices found = new LockServices(each.stretches(), clockNanos);
            if (found.operations() > 0) {
                Arrays.stream(found.free).forEach(free::add);
                Arrays.stream(found.queued).forEach(queued::add);
                append(each, found.nanos(), found.operations(), free, queued);
                measure(each.iteration(), "service_free_ns", mean(found.free));
                measure(each.iteration(), "service_queued_ns", mean(found.queued));
            }
        }
    }

    private void append(Logged logged, long nanos, long operations, Series... found) {
        String phase = trial.phases().of(logged.iteration()).name();
        for (Series series : found) {
            trial.recorder()
                    .append(series, logged.iteration(), phase, logged.begun(), logged.begun() + nanos, operations);
        }
    }

    private void leave(int iteration, OwnerRuns runs, HandOvers found) {
        measure(iteration, "window_operations", runs.operations());
        measure(iteration, "owner_runs", runs.runs);
        measure(iteration, "reacquire_operations", found.medianBetween());
        measure(iteration, "log_ns", runs.nanos());
        measure(iteration, "section_ns", found.section);
        measure(iteration, "handover_mean_ns", found.mean());
        measure(iteration, "handover_hidden", found.hidden);
    }

    /** What is not known is left out. */
    private void measure(int iteration, String name, double value) {
        if (!Double.isNaN(value)) {
            trial.recorder().measure(iteration, name, value);
        }
    }

    private static double mean(long[] values) {
        return Arrays.stream(values).average().orElse(Double.NaN);
    }

    private static double median(List<Double> values) {
        return HandOvers.median(values.stream().mapToDouble(each -> each).toArray());
    }
}
