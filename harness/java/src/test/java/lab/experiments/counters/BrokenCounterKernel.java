package lab.experiments.counters;

import lab.Worker;

/** Load, give way, store: updates are lost even on one CPU. */
final class BrokenCounterKernel extends CounterKernel {
    private final SharedWord word = new SharedWord();

    @Override
    long value() {
        return word.value();
    }

    @Override
    public void run(Worker worker, int from, int to) {
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long deadline = worker.begin(iteration);
            while (System.nanoTime() < deadline) {
                long count = word.value;
                Thread.yield();
                word.value = count + 1;
                operations++;
            }
            worker.end(System.nanoTime(), operations);
        }
    }
}
