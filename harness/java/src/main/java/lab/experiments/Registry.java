package lab.experiments;

import java.util.List;
import lab.Experiment;
import lab.experiments.clocks.ClockCost;
import lab.experiments.counters.AtomicIncrement;
import lab.experiments.counters.SingleWriter;
import lab.experiments.dispatch.Dispatch;
import lab.experiments.executor.Executor;
import lab.experiments.gc.GcPause;
import lab.experiments.handover.InterThreadLatency;
import lab.experiments.io.SequentialIo;
import lab.experiments.ipc.Ipc;
import lab.experiments.locks.LockScaling;
import lab.experiments.notify.NotifyCost;
import lab.experiments.queues.Queues;
import lab.experiments.sharing.FalseSharing;
import lab.experiments.signalling.SignallingLatency;
import lab.experiments.whitebox.WhiteBoxes;

/** The one place where an experiment is registered. */
public final class Registry {
    /** In the order of {@code --list}. */
    public static final List<Experiment> EXPERIMENTS = List.of(
            new LockScaling(),
            new Dispatch(),
            new SequentialIo(),
            new ClockCost(),
            new AtomicIncrement(),
            new SingleWriter(),
            new FalseSharing(),
            new InterThreadLatency(),
            new SignallingLatency(),
            new NotifyCost(),
            new Queues(),
            new Executor(),
            new Ipc(),
            new GcPause(),
            new WhiteBoxes());

    private Registry() {}
}
