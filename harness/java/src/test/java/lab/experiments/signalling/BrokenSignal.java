package lab.experiments.signalling;

/** A sound signal that is spoilt at the third hand-over. */
public final class BrokenSignal extends Signal {
    private static final long THIRD = 3;

    private final Signal sound;
    private final boolean fails;

    private BrokenSignal(Signal sound, boolean fails) {
        super(1);
        this.sound = sound;
        this.fails = fails;
    }

    /** Hands over the fourth number in place of the third. */
    public static Signal skipping(Signal sound) {
        return new BrokenSignal(sound, false);
    }

    /** Throws instead, while the other thread sleeps until it is woken. */
    public static Signal failing(Signal sound) {
        return new BrokenSignal(sound, true);
    }

    @Override
    void hand(int side, long number) throws InterruptedException {
        if (number == THIRD && fails) {
            throw new IllegalStateException("the third hand-over");
        }
        sound.hand(side, number == THIRD ? number + 1 : number);
    }

    @Override
    long take(int side, long previous) throws InterruptedException {
        return sound.take(side, previous);
    }
}
