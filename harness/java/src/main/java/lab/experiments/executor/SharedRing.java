package lab.experiments.executor;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.TimeoutException;

/** Workers claim one slot after the other from a sequence they share, so that each task goes to whoever is free. */
final class SharedRing extends Ring {
    /** The last slot claimed by anyone. */
    private final Sequence claimed = new Sequence();
    /** The slot each worker has done last, or all before the one it waits for. */
    private final Sequence[] done;

    SharedRing(Crew crew, int slots, boolean yields) {
        super(crew, slots, yields);
        done = new Sequence[crew.size()];
        for (int i = 0; i < done.length; i++) {
            done[i] = new Sequence();
        }
    }

    @Override
    Sequence[] gates() {
        Sequence[] gates = new Sequence[done.length + 1];
        System.arraycopy(done, 0, gates, 0, done.length);
        gates[done.length] = claimed;
        return gates;
    }

    /**
     * Before a worker claims slot n it says that it is done with n - 1, for otherwise there would be
     * a moment in which neither gate holds n back.
     */
    @Override
    void live(int number) {
        Sequence mine = done[number];
        long available = -1;
        try {
            while (true) {
                long next;
                do {
                    next = claimed.get() + 1;
                    mine.set(next - 1);
                } while (!claimed.compareAndSet(next - 1, next));
                while (available < next) {
                    available = barrier.waitFor(next);
                }
                Task task = ring.get(next).task;
                if (ends(task)) {
                    mine.set(Long.MAX_VALUE);
                    return;
                }
                task.run();
            }
        } catch (AlertException abandoned) {
            return;
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException("nobody interrupts a worker, and no wait has a limit", e);
        }
    }

    /** Each takes one. */
    @Override
    int endMarks() {
        return crew.size();
    }

    @Override
    public void abandon() {
        barrier.alert();
    }
}
