package lab.experiments.handover;

import lab.Trial;

/** A release store and an acquire load: on x86 plain moves without a fence. */
public class ReleaseAcquire extends SpinHandover {
    public ReleaseAcquire(Trial trial, boolean hint) {
        super(trial, hint);
    }

    @Override
    void write(Word word, long number) {
        word.setRelease(number);
    }

    @Override
    long read(Word word) {
        return word.getAcquire();
    }
}
