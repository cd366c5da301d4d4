package lab.experiments.handover;

import lab.Trial;

/** An atomic addition: one locked instruction. */
final class AtomicAdd extends SpinHandover {
    AtomicAdd(Trial trial, boolean hint) {
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
