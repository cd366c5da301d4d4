package lab.experiments.executor;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import lab.Failure;
import lab.VirtualThreads;

/** An executor of the JDK, used by {@code execute}: {@code submit} would make a future for every task. */
class ServicePool implements Pool {
    final Crew crew;
    private final ExecutorService service;

    /** @param service its threads enter the crew */
    ServicePool(Crew crew, ExecutorService service) {
        this.crew = crew;
        this.service = service;
    }

    /** Such pools start a thread when a task needs one: as many tasks as workers, which end once all have begun. */
    @Override
    public void start() {
        CountDownLatch open = new CountDownLatch(1);
        for (int i = 0; i < crew.size(); i++) {
            service.execute(() -> {
                try {
                    open.await();
                } catch (InterruptedException abandoned) {
                    crew.failed(Failure.check("the pool was abandoned before it began"));
                }
            });
        }
        crew.awaitEntered();
        open.countDown();
    }

    @Override
    public void execute(Task task) {
        service.execute(task);
    }

    @Override
    public void shutdown() {
        service.shutdown();
    }

    @Override
    public int left() {
        return service.shutdownNow().size();
    }

    @Override
    public void abandon() {
        service.shutdownNow();
    }

    /**
     * A virtual thread for every task. The workers are the carriers of the JDK's one scheduler, which outlive the pool.
     */
    static final class Virtual extends ServicePool {
        Virtual(Crew crew) {
            super(crew, service());
        }

        /** {@code Executors.newVirtualThreadPerTaskExecutor()}, from source level 17. */
        private static ExecutorService service() {
            try {
                return (ExecutorService) Executors.class
                        .getMethod("newVirtualThreadPerTaskExecutor")
                        .invoke(null);
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
}
