package lab.experiments.dispatch;

/**
 * The function {@code v -> multiplier * v + addend} in int arithmetic. Every operation of the experiment is one, and
 * so is any sequence of them, so the result of billions of calls is known without making a call.
 */
record Affine(int multiplier, int addend) {
    static final Affine IDENTITY = new Affine(1, 0);

    int apply(int value) {
        return multiplier * value + addend;
    }

    /** This function first, then the other. */
    Affine then(Affine next) {
        return new Affine(next.multiplier * multiplier, next.multiplier * addend + next.addend);
    }

    /** This function {@code times} times, by repeated squaring. */
    Affine power(long times) {
        Affine result = IDENTITY;
        Affine square = this;
        for (long rest = times; rest > 0; rest >>= 1) {
            if ((rest & 1) == 1) {
                result = result.then(square);
            }
            square = square.then(square);
        }
        return result;
    }
}
