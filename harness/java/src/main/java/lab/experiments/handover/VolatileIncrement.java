package lab.experiments.handover;

import lab.Trial;

/** {@code ++} of a volatile field: load, add, store and, after it, a full fence. */
final class VolatileIncrement extends SpinHandover {
    VolatileIncrement(Trial trial, boolean hint) {
        super(trial, hint);
    }

    @Override
    void write(Word word, long number) {
        // Only this side writes the word: nothing can come between load and store.
        word.value++;
    }

    @Override
    long read(Word word) {
        return word.value;
    }
}
