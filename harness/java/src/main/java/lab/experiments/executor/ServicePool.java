package lab.experiments.executor;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import lab.Failure;

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
}
