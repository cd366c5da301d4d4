package lab.experiments.$family;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import lab.Experiment;
import lab.Parameter;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * Threads add to one counter: the least that keeps the harness contract. Put your own kernel in the place of
 * {@code count}, and keep a check that its work was really done.
 *
 * <p>Run, and expect an operation to take longer than with {@code --threads 1}:
 * <pre>
 * java -jar harness/java/target/lab-harness.jar $name --variant count --threads 2 \
 *     --warmup 5 --iterations 50 --out /tmp/x.hlog
 * </pre>
 */
public final class $class implements Experiment {
    private static final int SAMPLE_EVERY = 64;

    @Override
    public String name() {
        return "$name";
    }

    @Override
    public List<Variant> variants() {
        return List.of(Variant.of("count"));
    }

    @Override
    public List<Parameter> parameters() {
        return List.of();
    }

    @Override
    public void run(Trial trial) {
        AtomicLong counter = new AtomicLong();
        long[] operations = new long[1];
        Workers.platform(trial)
                .afterIteration((iteration, each) -> {
                    for (long one : each) {
                        operations[0] += one;
                    }
                })
                .run((worker, from, to) -> {
                    for (int iteration = from; iteration < to; iteration++) {
                        count(counter, worker, iteration);
                    }
                });
        trial.recorder().check("counter equals increments", operations[0], counter.get());
    }

    private static void count(AtomicLong counter, Worker worker, int iteration) {
        long operations = 0;
        long now;
        long deadline = worker.begin(iteration);
        do {
            for (int i = 1; i < SAMPLE_EVERY; i++) {
                counter.getAndIncrement();
            }
            long before = System.nanoTime();
            counter.getAndIncrement();
            now = System.nanoTime();
            worker.series().add(now - before);
            operations += SAMPLE_EVERY;
        } while (now - deadline < 0);
        worker.end(now, operations);
    }
}
