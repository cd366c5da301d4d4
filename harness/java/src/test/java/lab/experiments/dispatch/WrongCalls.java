package lab.experiments.dispatch;

import lab.Trial;
import lab.Workers;

/** dispatch with a kernel that calls one receiver of the cycle twice and another not at all. */
final class WrongCalls {
    private WrongCalls() {}

    static void run(Trial trial) {
        Receivers receivers = new Receivers(ReceiverClasses.plain(2), Receivers.LENGTH, 1);
        IntOperation[] called = receivers.as(IntOperation[].class);
        int wrong = 0;
        while (called[wrong] == called[wrong + 1]) {
            wrong++;
        }
        called[wrong] = called[wrong + 1];
        Kernel kernel = new Kernel() {
            @Override
            int callAll(int from) {
                int value = from;
                for (int i = from; i < from + BATCH; i++) {
                    value = called[i].map(value);
                }
                return value;
            }
        };
        Progress progress = new Progress(trial);
        Workers.platform(trial).run(new Batches(kernel, progress));
        progress.check(receivers, 0, 1);
    }
}
