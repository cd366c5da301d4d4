package lab.experiments.handover;

import java.util.Arrays;
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

    /**
     * Release and acquire with work in between: before it hands over, a stage reads one word of every cache line of its
     * own working set. What it hands over depends on the sum, so that the reading can neither be left out nor go
     * unchecked.
     */
    static final class Pipeline extends ReleaseAcquire {
        private static final int WORDS_PER_LINE = 8;

        private final long[] pingData;
        private final long[] pongData;
        private final long sum;

        Pipeline(Trial trial, boolean hint) {
            super(trial, hint);
            int lines = trial.parameters().getInt("working-set-kib") * 1024 / (WORDS_PER_LINE * Long.BYTES);
            pingData = ones(lines);
            pongData = ones(lines);
            sum = lines;
        }

        private static long[] ones(int lines) {
            long[] data = new long[lines * WORDS_PER_LINE];
            Arrays.fill(data, 1);
            return data;
        }

        @Override
        protected void pass(int side, long number) {
            super.pass(side, number + sum - sum(side == PING ? pingData : pongData));
        }

        private static long sum(long[] data) {
            long sum = 0;
            for (int i = 0; i < data.length; i += WORDS_PER_LINE) {
                sum += data[i];
            }
            return sum;
        }
    }
}
