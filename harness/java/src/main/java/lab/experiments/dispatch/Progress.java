package lab.experiments.dispatch;

import lab.Series;
import lab.Trial;

/** How far the one worker of a trial has come, and where it must have come to. */
final class Progress {
    final Trial trial;
    final Series calls;
    /** Of what the batches returned. */
    long sum;
    /** Batches so far, warm-up included. */
    long batches;

    Progress(Trial trial) {
        this.trial = trial;
        calls = trial.recorder().series("calls");
    }

    /** Checks the sum against one computed without a call, from the receivers of the cycle. */
    void check(Receivers receivers, int arguments, int chains) {
        int perCycle = Receivers.LENGTH / Kernel.BATCH;
        long expected = 0;
        for (int batch = 0; batch < perCycle; batch++) {
            long times = batches / perCycle + (batch < batches % perCycle ? 1 : 0);
            expected += times * batch(batch * Kernel.BATCH, receivers, arguments, chains);
        }
        trial.recorder()
                .check("sum of the values after " + batches + " batches of " + Kernel.BATCH + " calls", expected, sum);
    }

    private static int batch(int from, Receivers receivers, int arguments, int chains) {
        int sum = 0;
        for (int chain = 0; chain < chains; chain++) {
            int value = from + chain;
            for (int i = from + chain; i < from + Kernel.BATCH; i += chains) {
                int id = receivers.id(i);
                value = (value ^ Constants.mask(id) + ArgumentKernels.sum(arguments, i)) * Constants.multiplier(id);
            }
            sum += value;
        }
        return sum;
    }
}
