package lab.experiments.dispatch;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import lab.Worker;
import lab.Workers;

/**
 * Invokes the kernel once per batch, so that it is compiled as a whole method ({@code warmup-style} short). It is
 * called through a method handle that is no constant: the compiler cannot inline that into this loop, and so there is
 * one compiled version of the kernel and one set of its events in the log. The handle costs a few nanoseconds per batch
 * of 1,024 calls.
 */
final class Batches implements Workers.Body {
    private final MethodHandle callAll;
    private final Kernel kernel;
    private final Progress progress;

    Batches(Kernel kernel, Progress progress) {
        this.kernel = kernel;
        this.progress = progress;
        try {
            callAll = MethodHandles.lookup()
                    .findVirtual(Kernel.class, "callAll", MethodType.methodType(int.class, int.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Kernel declares callAll", e);
        }
    }

    @Override
    public void run(Worker worker, int from, int to) {
        for (int iteration = from; iteration < to; iteration++) {
            long batches = progress.batches;
            long sum = progress.sum;
            long deadline = worker.begin(iteration);
            long before = System.nanoTime();
            long now;
            do {
                sum += batch((int) batches * Kernel.BATCH & Receivers.LENGTH - 1);
                now = System.nanoTime();
                progress.calls.add(now - before);
                before = now;
                batches++;
            } while (now - deadline < 0);
            worker.end(
                    progress.calls, progress.trial.phase(iteration), now, (batches - progress.batches) * Kernel.BATCH);
            progress.batches = batches;
            progress.sum = sum;
        }
    }

    private int batch(int from) {
        try {
            return (int) callAll.invokeExact(kernel, from);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a kernel throws no checked exception", e);
        }
    }
}
