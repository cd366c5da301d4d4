package lab.experiments.handover;

import lab.Trial;

/** An atomic addition: one locked instruction. */
public final class AtomicAdd extends SpinHandover {
    public AtomicAdd(Trial trial, boolean hint) {
        super(trial, hint);
    }

    @Override
    void write(Word word, long number) {
        word.add();
    }

    @Override
    long read(Word word) {
        return word.value;
    }
}
