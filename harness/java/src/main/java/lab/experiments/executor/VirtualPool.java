package lab.experiments.executor;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import lab.VirtualThreads;

/** A virtual thread for every task. The workers are the carriers of the JDK's one scheduler, which outlive the pool. */
final class VirtualPool extends ServicePool {
    VirtualPool(Crew crew) {
        super(crew, service());
    }

    /** {@code Executors.newVirtualThreadPerTaskExecutor()}, from source level 17. */
    private static ExecutorService service() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no virtual threads on this runtime", e);
        }
    }

    @Override
    public void start() {
        VirtualThreads.onCarriers(crew.size(), crew::enter);
        crew.awaitEntered();
    }
}
