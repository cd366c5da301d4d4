package lab.experiments.signalling;

import java.util.List;
import java.util.concurrent.SynchronousQueue;

/** A rendezvous queue for each direction: a put returns when a take has met it. Spurious wake-ups stay inside. */
final class SynchronousQueueSignal extends Signal {
    private final List<SynchronousQueue<Long>> queues = List.of(new SynchronousQueue<>(), new SynchronousQueue<>());

    @Override
    void hand(int side, long number) throws InterruptedException {
        queues.get(side).put(number);
    }

    @Override
    long take(int side, long previous) throws InterruptedException {
        return queues.get(side).take();
    }
}
