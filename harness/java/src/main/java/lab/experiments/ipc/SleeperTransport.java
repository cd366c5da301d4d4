package lab.experiments.ipc;

/** Two rings of ours whose consumers sleep where they find nothing. */
final class SleeperTransport extends RingTransport {
    private final Bell outBell;
    private final Bell inBell;

    SleeperTransport(Outgoing out, Incoming in, Ring outRing, Ring inRing) {
        super(out, in, outRing, inRing);
        outBell = new Bell((BufferMemory) outRing.memory);
        inBell = new Bell((BufferMemory) inRing.memory);
        outBell.rouse();
    }

    @Override
    boolean offer(int kind, long time) {
        boolean offered = super.offer(kind, time);
        if (offered) {
            outBell.wake();
        }
        return offered;
    }

    /** Never none. */
    @Override
    int poll(int most) {
        int taken;
        while ((taken = super.poll(most)) == 0) {
            polls().count();
            inBell.announce();
            taken = super.poll(most);
            if (taken > 0) {
                inBell.stay();
                return taken;
            }
            while (inBell.sleep(Spin.LONGEST_SLEEP_NANOS)) {
                polls().sleptInVain();
            }
        }
        return taken;
    }
}
