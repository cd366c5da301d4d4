package lab.experiments.whitebox;

import lab.Recorder;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * What the interface can do at all: whether its methods are bound, whether it compiles a method at the tier asked for,
 * whether a flag that it sets reads back changed, and whether the collector acts on it. None of these is checked, for
 * they are what is asked; checked is that the flags are at the end what they were.
 */
final class Flags implements Workers.Body {
    /** One that may be set while the virtual machine runs, by whatever means. */
    private static final String MANAGEABLE = "HeapDumpOnOutOfMemoryError";
    /** One that may not, except so. */
    private static final String THRESHOLD = "MaxTenuringThreshold";

    private static final long LOW = 1;

    private final Trial trial;
    private final Instrument instrument;
    private final Series series;
    private final Ageing ageing;
    private final long original;

    private Flags(Trial trial) {
        this.trial = trial;
        instrument = new Instrument();
        series = trial.recorder().series("young_gc");
        ageing = new Ageing(instrument.box, series);
        Promotion.threshold(instrument);
        original = instrument.number(THRESHOLD);
    }

    /** Runs the trial. */
    static void measure(Trial trial) {
        Flags flags = new Flags(trial);
        Recorder recorder = trial.recorder();
        Natives natives = new Natives(flags.instrument.box);
        recorder.measure(-1, "natives_declared", natives.declared);
        recorder.measure(-1, "natives_bound", natives.bound);
        recorder.measure(-1, "old_name_binds", Instrument.bindsOldName() ? 1 : 0);
        flags.compile();
        flags.setManageable();
        Workers.platform(trial).fixed().run(flags);
        recorder.check(THRESHOLD + " restored", flags.original, flags.instrument.number(THRESHOLD));
        recorder.check("objects changed, or young again", 0, flags.ageing.wrong);
    }

    /** Brings a call site to each tier of compiled code, from one tier to another. */
    private void compile() {
        Tiers tiers = new Tiers(instrument.box, Site.methods(1));
        Site.call(Site.receivers(1), Site.PERIOD, 1);
        int reached = 0;
        for (int tier = 1; tier <= Tiers.HIGHEST; tier++) {
            reached += tiers.bring(tier) ? 1 : 0;
        }
        trial.recorder().measure(-1, "tiers_asked", Tiers.HIGHEST);
        trial.recorder().measure(-1, "tiers_reached", reached);
    }

    private void setManageable() {
        boolean before = instrument.has(MANAGEABLE);
        instrument.box.setBooleanVMFlag(MANAGEABLE, !before);
        trial.recorder().measure(-1, "flag_changed", instrument.has(MANAGEABLE) == before ? 0 : 1);
        instrument.box.setBooleanVMFlag(MANAGEABLE, before);
        trial.recorder().check(MANAGEABLE + " restored", before, instrument.has(MANAGEABLE));
    }

    @Override
    public void run(Worker worker, int from, int to) {
        for (int iteration = from; iteration < to; iteration++) {
            worker.begin(iteration);
            set(LOW);
            boolean changed = instrument.number(THRESHOLD) == LOW;
            int low = ageing.collections();
            ageing.look();
            set(original);
            int high = ageing.collections();
            worker.end(series, trial.phase(iteration), ageing.end, low + high);
            ageing.look();
            Recorder recorder = trial.recorder();
            recorder.measure(iteration, "threshold_changed", changed ? 1 : 0);
            recorder.measure(iteration, "threshold_acts", low == LOW + 1 && low < high ? 1 : 0);
            recorder.measure(iteration, "collections_low", low);
            recorder.measure(iteration, "collections", high);
        }
    }

    /** A collector may take up a threshold at the end of a collection only, for the next one. */
    private void set(long threshold) {
        instrument.set(THRESHOLD, threshold);
        instrument.box.youngGC();
    }
}
