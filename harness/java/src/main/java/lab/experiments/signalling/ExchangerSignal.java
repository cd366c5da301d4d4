package lab.experiments.signalling;

import java.util.concurrent.Exchanger;

/**
 * One exchanger: each hand-over is one exchange of the number for nothing. Having given, a thread offers nothing and
 * waits for the answer. It spins for long before it parks: with a CPU for each thread it hardly ever sleeps, and is a
 * hand-over between threads that spin. Spurious wake-ups stay inside.
 */
final class ExchangerSignal extends Signal {
    private final Exchanger<Long> exchanger = new Exchanger<>();

    @Override
    void hand(int side, long number) throws InterruptedException {
        exchanger.exchange(number);
    }

    @Override
    long take(int side, long previous) throws InterruptedException {
        Long number = exchanger.exchange(null);
        // Nothing for nothing: both came to take, and a hand-over is lost.
        return number == null ? previous : number;
    }
}
