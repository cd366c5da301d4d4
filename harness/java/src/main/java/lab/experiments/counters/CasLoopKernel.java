package lab.experiments.counters;

import lab.Series;
import lab.Worker;

/**
 * The loop around a compare-and-set: load, add, compare-and-set, and again from the load if another worker was faster.
 * A failed attempt is counted on its own way only, so that the successful one stays what a program would do.
 */
final class CasLoopKernel extends CounterKernel {
    private final SharedWord word = new SharedWord();

    @Override
    long value() {
        return word.value();
    }

    @Override
    String event() {
        return "failed_cas";
    }

    @Override
    public void run(Worker worker, int from, int to) {
        SharedWord word = this.word;
        Series series = worker.series();
        int untimed = sampleEvery - 1;
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long failed = 0;
            long now;
            long deadline = worker.begin(iteration);
            do {
                for (int i = 0; i < untimed; i++) {
                    long old = (long) SharedWord.VALUE.getVolatile(word);
                    while (!SharedWord.VALUE.compareAndSet(word, old, old + 1)) {
                        failed++;
                        old = (long) SharedWord.VALUE.getVolatile(word);
                    }
                }
                long before = System.nanoTime();
                long old = (long) SharedWord.VALUE.getVolatile(word);
                while (!SharedWord.VALUE.compareAndSet(word, old, old + 1)) {
                    failed++;
                    old = (long) SharedWord.VALUE.getVolatile(word);
                }
                now = System.nanoTime();
                series.add(now - before);
                operations += sampleEvery;
            } while (now - deadline < 0);
            counted(worker.index(), failed);
            worker.end(now, operations);
        }
    }
}
