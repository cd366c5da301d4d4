package lab.experiments.whitebox;

import jdk.test.whitebox.WhiteBox;
import lab.Recorder;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * Whether what was done with an object has inflated its lock, and what the lock costs then. Every iteration takes an
 * object of its own, asks, times uncontended pairs of acquire and release, and asks again. Nothing here may
 * hash the object (a print or a map would): the hash is one of the causes.
 *
 * <p>The timed loop is compiled before anything is measured. A frame that holds a lock and is thrown back to the
 * interpreter inflates it, and of a lock that was inflated on the way the trial would time another kind.
 */
final class Locks implements Workers.Body {
    private static final int BATCH = 1000;

    private final Trial trial;
    private final WhiteBox box;
    private final Tiers loop;
    private final Object[] locks;
    private final Series series;
    private long counter;
    private long counted;
    private int changed;

    private Locks(Trial trial) {
        this.trial = trial;
        box = new Instrument().box;
        locks = Causes.applied(trial.parameters().getString("cause"), trial.iterations(), box);
        series = trial.recorder().series("pairs");
        try {
            loop = new Tiers(box, Locks.class.getDeclaredMethod("pairs", Object.class));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("this class declares it", e);
        }
    }

    /** Runs the trial, and checks the count, that no lock changed its state while it was timed, and the code. */
    static void measure(Trial trial) {
        Locks locks = new Locks(trial);
        locks.compile();
        Workers.platform(trial).fixed().run(locks);
        Recorder recorder = trial.recorder();
        recorder.check("counter equals pairs", locks.counted, locks.counter);
        recorder.check("locks that changed while they were timed", 0, locks.changed);
        recorder.check("timed loops at tier " + Tiers.HIGHEST, 1, locks.loop.at(Tiers.HIGHEST));
    }

    private void compile() {
        Object lock = new Object();
        loop.bring(Tiers.PROFILED);
        pairs(lock);
        loop.bring(Tiers.HIGHEST);
        counter = 0;
    }

    private void pairs(Object lock) {
        for (int i = 0; i < BATCH; i++) {
            synchronized (lock) {
                counter++;
            }
        }
    }

    @Override
    public void run(Worker worker, int from, int to) {
        for (int iteration = from; iteration < to; iteration++) {
            Object lock = locks[iteration];
            boolean inflated = box.isMonitorInflated0(lock);
            long pairs = 0;
            long deadline = worker.begin(iteration);
            long before = System.nanoTime();
            long now;
            do {
                pairs(lock);
                now = System.nanoTime();
                series.add(now - before);
                before = now;
                pairs += BATCH;
            } while (now - deadline < 0);
            worker.end(series, trial.phase(iteration), now, pairs);
            counted += pairs;
            changed += box.isMonitorInflated0(lock) == inflated ? 0 : 1;
            trial.recorder().measure(iteration, "inflated", inflated ? 1 : 0);
        }
    }
}
