package lab.experiments.queues;

import lab.load.Sender;

/** Offers an event until there is room for it, and counts the attempts that were refused. */
abstract class Offering implements Sender {
    private final boolean yields;
    private long full;
    private long refused;

    /** @param yields whether threads outnumber CPUs */
    Offering(boolean yields) {
        this.yields = yields;
    }

    /**
     * Waits after an attempt that found no room.
     *
     * @param attempts made for this event before it
     * @param due      as sent
     */
    final void refused(int attempts, long due) {
        if (attempts == 0 && due >= 0) {
            full++;
        }
        refused++;
        Pause.after(attempts, yields);
    }

    @Override
    public final long full() {
        return full;
    }

    @Override
    public final long refused() {
        return refused;
    }
}
