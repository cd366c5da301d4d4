package lab.experiments.whitebox;

import java.util.LinkedHashMap;
import java.util.Map;
import lab.Failure;
import lab.Recorder;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/** After how many young collections an object is promoted under a tenuring threshold. An iteration is one promotion. */
final class Promotion implements Workers.Body {
    private static final String MAX = "MaxTenuringThreshold";
    /** Collectors that have a threshold, and its flag. */
    private static final Map<String, String> THRESHOLDS = new LinkedHashMap<>();

    static {
        THRESHOLDS.put("UseSerialGC", MAX);
        THRESHOLDS.put("UseParallelGC", MAX);
        THRESHOLDS.put("UseG1GC", MAX);
        THRESHOLDS.put("UseZGC", "ZTenuringThreshold");
    }

    private final Trial trial;
    private final Series series;
    private final Ageing ageing;

    private Promotion(Trial trial, Instrument instrument) {
        this.trial = trial;
        series = trial.recorder().series("young_gc");
        ageing = new Ageing(instrument.box, series);
    }

    /** Runs the trial, and checks that the threshold is the one asked for and the objects stayed what they were. */
    static void measure(Trial trial) {
        Instrument instrument = new Instrument();
        String flag = threshold(instrument);
        Promotion promotion = new Promotion(trial, instrument);
        // Moves what start-up left alive.
        instrument.box.youngGC();
        Workers.platform(trial).fixed().run(promotion);
        Recorder recorder = trial.recorder();
        recorder.check(flag, trial.parameters().getLong("threshold"), instrument.number(flag));
        recorder.check("objects changed, or young again", 0, promotion.ageing.wrong);
    }

    /** The collector's flag; status 3 for one that has none, and would say of every object that it is old. */
    static String threshold(Instrument instrument) {
        for (Map.Entry<String, String> each : THRESHOLDS.entrySet()) {
            if (instrument.has(each.getKey()) && instrument.number(each.getValue()) != null) {
                return each.getValue();
            }
        }
        throw Failure.unsupported("this collector has no generations with a tenuring threshold; use one of "
                + String.join(", ", THRESHOLDS.keySet()));
    }

    @Override
    public void run(Worker worker, int from, int to) {
        for (int iteration = from; iteration < to; iteration++) {
            worker.begin(iteration);
            int collections = ageing.collections();
            worker.end(series, trial.phase(iteration), ageing.end, collections);
            ageing.look();
            trial.recorder().measure(iteration, "collections", collections);
            if (iteration == 0) {
                trial.recorder().measure(-1, "first_collections", collections);
            }
        }
    }
}
