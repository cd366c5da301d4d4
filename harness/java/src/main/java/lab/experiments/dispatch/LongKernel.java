package lab.experiments.dispatch;

import lab.Worker;
import lab.Workers;

/**
 * The interface call with warm-up and measurement in one invocation ({@code warmup-style} long): the loop is replaced
 * on the stack while it runs and never entered at its beginning, so what is measured is OSR code.
 */
final class LongKernel implements Workers.Body {
    private final IntOperation[] receivers;
    private final Progress progress;

    LongKernel(Receivers receivers, Progress progress) {
        this.receivers = receivers.as(IntOperation[].class);
        this.progress = progress;
    }

    @Override
    public void run(Worker worker, int from, int to) {
        callAll(worker, from, to);
    }

    private void callAll(Worker worker, int firstIteration, int lastIteration) {
        IntOperation[] receivers = this.receivers;
        long batches = 0;
        long sum = 0;
        for (int iteration = firstIteration; iteration < lastIteration; iteration++) {
            long batchesBefore = batches;
            long deadline = worker.begin(iteration);
            long before = System.nanoTime();
            long now;
            do {
                int from = (int) batches * Kernel.BATCH & Receivers.LENGTH - 1;
                int value = from;
                for (int i = from; i < from + Kernel.BATCH; i++) {
                    value = receivers[i].map(value);
                }
                sum += value;
                now = System.nanoTime();
                progress.calls.add(now - before);
                before = now;
                batches++;
            } while (now - deadline < 0);
            worker.end(progress.calls, progress.trial.phase(iteration), now, (batches - batchesBefore) * Kernel.BATCH);
        }
        progress.batches = batches;
        progress.sum = sum;
    }
}
