package lab.experiments.dispatch;

/** {@link IndependentCalls} without a call: the body of class 0 written into the loop, once per chain. */
final class IndependentInlined extends Kernel {
    @Override
    int callAll(int from) {
        int a = from;
        int b = from + 1;
        int c = from + 2;
        int d = from + 3;
        int e = from + 4;
        int f = from + 5;
        int g = from + 6;
        int h = from + 7;
        for (int i = from; i < from + BATCH; i += CHAINS) {
            a = (a ^ Constants.MASK) * Constants.MULTIPLIER;
            b = (b ^ Constants.MASK) * Constants.MULTIPLIER;
            c = (c ^ Constants.MASK) * Constants.MULTIPLIER;
            d = (d ^ Constants.MASK) * Constants.MULTIPLIER;
            e = (e ^ Constants.MASK) * Constants.MULTIPLIER;
            f = (f ^ Constants.MASK) * Constants.MULTIPLIER;
            g = (g ^ Constants.MASK) * Constants.MULTIPLIER;
            h = (h ^ Constants.MASK) * Constants.MULTIPLIER;
        }
        return a + b + c + d + e + f + g + h;
    }
}
