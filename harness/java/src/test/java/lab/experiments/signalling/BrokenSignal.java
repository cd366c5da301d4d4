package lab.experiments.signalling;

/** A sound signal that is spoilt at the third hand-over. */
final class BrokenSignal extends Signal {
    private static final long THIRD = 3;

    private static final long SHORT_GRACE_NANOS = 200_000_000;

    private enum Fault {
        SKIPS,
        FAILS,
        LOSES
    }

    private final Signal sound;
    private final Fault fault;

    private BrokenSignal(Signal sound, Fault fault) {
        this.sound = sound;
        this.fault = fault;
    }

    @Override
    protected long graceNanos() {
        return fault == Fault.LOSES ? SHORT_GRACE_NANOS : super.graceNanos();
    }

    /** Hands over the fourth number in place of the third. */
    static Signal skipping(Signal sound) {
        return new BrokenSignal(sound, Fault.SKIPS);
    }

    /** Throws instead, while the other thread sleeps until it is woken. */
    static Signal failing(Signal sound) {
        return new BrokenSignal(sound, Fault.FAILS);
    }

    /** Does not hand it over at all: both threads sleep for good. */
    static Signal losing(Signal sound) {
        return new BrokenSignal(sound, Fault.LOSES);
    }

    @Override
    void hand(int side, long number) throws InterruptedException {
        if (number != THIRD) {
            sound.hand(side, number);
        } else if (fault == Fault.FAILS) {
            throw new IllegalStateException("the third hand-over");
        } else if (fault == Fault.SKIPS) {
            sound.hand(side, number + 1);
        }
    }

    @Override
    long take(int side, long previous) throws InterruptedException {
        return sound.take(side, previous);
    }
}
