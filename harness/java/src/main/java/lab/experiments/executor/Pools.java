package lab.experiments.executor;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import lab.load.Receipts;

/** The pool of each variant. */
final class Pools {
    private Pools() {}

    /**
     * A pool that is not started yet.
     *
     * @param crew   its workers
     * @param slots  tasks that can be under way at once, a power of two
     * @param yields whether threads outnumber CPUs
     * @param spin   empty looks before a worker of {@code lockfree_park} parks
     */
    static Pool of(String variant, Crew crew, int slots, boolean yields, int spin) {
        return switch (variant) {
            case "caller" -> new CallerPool();
            case "single" -> new ServicePool(crew, Executors.newSingleThreadExecutor(crew::thread));
            case "tpe_lbq" -> threadPool(crew, new LinkedBlockingQueue<>());
            case "tpe_abq" -> threadPool(crew, new ArrayBlockingQueue<>(slots));
            case "tpe_ltq" -> threadPool(crew, new LinkedTransferQueue<>());
            case "fjp" -> new ServicePool(crew, forkJoin(crew));
            case "virtual" -> new ServicePool.Virtual(crew);
            case "lockfree_spin" -> new LockFreePool(crew, slots, yields);
            case "lockfree_park" -> new ParkingPool(crew, slots, yields ? 0 : spin);
            case "disruptor_striped" -> new Ring.Striped(crew, slots, yields);
            case "disruptor_shared" -> new Ring.Shared(crew, slots, yields);
            default -> throw new IllegalArgumentException("no pool for variant " + variant);
        };
    }

    private static Pool threadPool(Crew crew, BlockingQueue<Runnable> queue) {
        int workers = crew.size();
        return new ServicePool(
                crew, new ThreadPoolExecutor(workers, workers, 0, TimeUnit.SECONDS, queue, crew::thread));
    }

    /** Asynchronous mode, as for tasks that nobody joins; never the common pool, of one thread less than CPUs. */
    private static ExecutorService forkJoin(Crew crew) {
        return new ForkJoinPool(crew.size(), pool -> new Hand(pool, crew), (dead, cause) -> crew.failed(cause), true);
    }

    private static final class Hand extends ForkJoinWorkerThread implements Crew.Member {
        private final Crew crew;
        private final int number;
        private final Receipts receipts;

        Hand(ForkJoinPool pool, Crew crew) {
            super(pool);
            this.crew = crew;
            number = crew.next();
            receipts = crew.receipts(number);
            setName("worker" + number);
        }

        @Override
        public Receipts receipts() {
            return receipts;
        }

        @Override
        protected void onStart() {
            crew.enter(number);
        }
    }
}
