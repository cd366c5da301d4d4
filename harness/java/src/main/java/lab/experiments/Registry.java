package lab.experiments;

import java.util.List;
import lab.Experiment;

/** The one place where an experiment is registered. */
public final class Registry {
    /** In the order of {@code --list}. */
    public static final List<Experiment> EXPERIMENTS = List.of(
        new LockScaling(),
        new Dispatch(),
        new SequentialIo(),
        new Clock(),
        new AtomicIncrement(),
        new SingleWriter(),
        new FalseSharing(),
        new InterThreadLatency(),
        new SignallingLatency(),
        new NotifyCost());

    private Registry() {
    }
}
