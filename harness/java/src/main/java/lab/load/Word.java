package lab.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import lab.Failure;
import lab.Pinning;
import lab.Trial;

/**
 * The bare word: two threads pass a number to and fro, each by a word on a line of its own, before there is anything
 * else. It is what the hardware charges any two threads on these CPUs, there and then. On a guest it changes by a
 * factor of four within seconds, and with it whatever hands over: so trials are compared whose words agree.
 */
final class Word {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int WARMUPS = 10;
    private static final int ITERATIONS = 5;
    /** Less in tests, of which many make trials and none asks how long a word takes. */
    private static final long NANOS = Long.getLong("lab.word.nanos", 2_000_000);
    /** Round trips between two readings of the clock. Where threads share a CPU, each may take two slices of it. */
    private static final int TRIPS = Integer.getInteger("lab.word.trips", 64);
    /** Looks in vain after which the other thread is given up: seconds, where each takes some nanoseconds. */
    private static final long PATIENCE = 10_000_000_000L;
    /** Two lines of longs, for the prefetcher fetches them in pairs. */
    private static final int APART = 16;

    private final long[] words = new long[4 * APART];
    private final int[] cpus;
    private volatile Throwable failure;
    private long disorder;

    private Word(int[] cpus) {
        this.cpus = cpus;
    }

    /**
     * Leaves the measure {@code word} of the trial, nanoseconds one way, five times; nothing where the threads of the
     * trial have one CPU, on which nobody can spin for the other.
     *
     * @param producers of the trial: the first one's CPU and the first that is another's are asked
     */
    static void measure(Trial trial, int producers) {
        if (trial.usableCpus() < 2) {
            return;
        }
        int[] cpus = trial.cpus();
        Word word = new Word(cpus.length == 0 ? cpus : new int[] {cpus[0], other(cpus, producers)});
        double[] found = word.run();
        for (double each : found) {
            trial.recorder().measure(-1, "", "word", each);
        }
        trial.recorder().check("bare words lost, repeated or out of order", 0, word.disorder);
    }

    /** The CPU of the first consumer; where that is the first producer's as well, the next one that is not. */
    private static int other(int[] cpus, int producers) {
        int at = producers % cpus.length;
        while (cpus[at] == cpus[0]) {
            at = (at + 1) % cpus.length;
        }
        return cpus[at];
    }

    private double[] run() {
        Thread peer = new Thread(() -> guarded(1, this::answer), "word");
        peer.setDaemon(true);
        double[] found = new double[ITERATIONS];
        Thread asking = new Thread(() -> guarded(0, () -> ask(found)), "words");
        asking.setDaemon(true);
        peer.start();
        asking.start();
        try {
            asking.join();
            peer.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the main thread", e);
        }
        if (failure instanceof Failure) {
            throw (Failure) failure;
        }
        if (failure != null) {
            throw Failure.check("the bare word: " + failure);
        }
        return found;
    }

    private void guarded(int end, Runnable body) {
        try {
            if (cpus.length > 0) {
                Pinning.pin(cpus[end]);
            }
            body.run();
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    private void ask(double[] found) {
        long number = 0;
        for (int i = -WARMUPS; i < ITERATIONS; i++) {
            long before = number;
            long start = System.nanoTime();
            long now;
            do {
                number = trips(number, TRIPS);
                now = System.nanoTime();
            } while (now - start < NANOS);
            if (i >= 0) {
                found[i] = (now - start) / 2.0 / (number - before);
            }
        }
        WORDS.setRelease(words, APART, -number - 1);
    }

    /** As many round trips from that number on; the last number. */
    private long trips(long number, int trips) {
        long last = number + trips;
        for (long next = number + 1; next <= last; next++) {
            WORDS.setRelease(words, APART, next);
            disorder += await(2 * APART, next - 1) == next ? 0 : 1;
        }
        return last;
    }

    private void answer() {
        long seen = 0;
        while ((seen = answers(seen, TRIPS)) >= 0) {
            continue;
        }
    }

    private long answers(long seen, int trips) {
        long value = seen;
        for (int i = 0; i < trips && value >= 0; i++) {
            value = await(APART, value);
            WORDS.setRelease(words, 2 * APART, value);
        }
        return value;
    }

    /** The word once it is another than it was. */
    private long await(int word, long was) {
        long value;
        long looks = 0;
        while ((value = (long) WORDS.getAcquire(words, word)) == was) {
            if (++looks > PATIENCE || failure != null) {
                throw Failure.check("the bare word: the other thread does not answer");
            }
        }
        return value;
    }
}
