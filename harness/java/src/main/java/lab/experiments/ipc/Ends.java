package lab.experiments.ipc;

import lab.Phases;
import lab.Recorder;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/** One end of a trial, which is this process: warm-up, the floor, and what is measured. */
final class Ends implements Workers.Body {
    private static final int FLOOR_ITERATIONS = 5;

    private final Setup setup;
    private final Phases phases;
    /** Null where one process is both ends. */
    private final Words floor;

    private final Hops hops;
    private final Pattern pattern;

    private Ends(Setup setup, Phases phases, Words floor, Hops hops, Pattern pattern) {
        this.setup = setup;
        this.phases = phases;
        this.floor = floor;
        this.hops = hops;
        this.pattern = pattern;
    }

    static Ends alone(Setup setup) {
        Incoming in = new Incoming(setup.size(), null);
        Outgoing out = new Outgoing(setup.size());
        Ring ring = new Rings(setup, new Rendezvous(setup))
                .alone(setup.trial().parameters().getString("ring"));
        Phases phases = setup.trial().phases();
        Transport transport = new RingTransport(out, in, ring, ring);
        return new Ends(setup, phases, null, new Hops(), new Solo(setup, phases, transport, ring.capacity));
    }

    static Ends of(Setup setup) {
        Trial trial = setup.trial();
        long nanos = trial.iterationNanos();
        Phases phases = new Phases(
                new Phases.Phase(Phases.WARMUP, trial.parameters().getInt("warmup"), nanos),
                // Where all else is warm, or a bare word is slower than a message.
                new Phases.Phase(Pattern.FLOOR, FLOOR_ITERATIONS, nanos),
                new Phases.Phase(Phases.MEASURED, trial.parameters().getInt("iterations"), nanos));
        Words.warmUp(setup, phases);
        Rendezvous rendezvous = new Rendezvous(setup);
        if (trial.variant().equals("word")) {
            Words words = new Words(setup, phases, rendezvous.meet());
            return new Ends(setup, phases, words, words.measuredHops(), words);
        }
        boolean taken = !setup.ping() && !setup.pattern().equals("round_trip");
        Series transit = taken ? trial.recorder().series("transit") : null;
        Outgoing out = new Outgoing(setup.size());
        Incoming in = new Incoming(setup.size(), transit);
        Transport transport = setup.overRings()
                ? new Rings(setup, rendezvous).open(out, in)
                : new Links(setup, rendezvous, out, in).open();
        boolean sharing = rendezvous.sharesCpu();
        Words floor = new Words(setup, phases, sharing);
        Hops hops = new Hops();
        return new Ends(setup, phases, floor, hops, pattern(setup, phases, transport, sharing, hops, transit));
    }

    private static Pattern pattern(
            Setup setup, Phases phases, Transport transport, boolean sharing, Hops hops, Series transit) {
        switch (setup.pattern()) {
            case "round_trip":
                return new RoundTrip(setup, phases, transport, sharing, hops);
            case "stream":
                return new Stream(setup, phases, transport, sharing, transit);
            default:
                return new Paced(setup, phases, transport, sharing, transit);
        }
    }

    /** Runs the trial and leaves its measures and checks. */
    void measure() {
        Trial trial = setup.trial();
        // A wait in a system call looks at nothing else; those that spin give up by themselves.
        Workers.platform(trial)
                .phases(phases)
                .patience(trial.iterationNanos() + Workers.GRACE_NANOS)
                .run(this);
        Recorder recorder = trial.recorder();
        // By one part, for both see the same.
        if (floor != null && trial.meeting().part() == 0) {
            recorder.measure(-1, "", "word_ns", floor.floorNanos());
            if (!hops.isEmpty()) {
                recorder.measure(-1, "", "added_ns", hops.median() - floor.floorNanos());
            }
        }
        if (floor != null && floor != pattern) {
            floor.check();
        }
        pattern.check();
    }

    @Override
    public void run(Worker worker, int from, int to) {
        for (int iteration = from; iteration < to; iteration++) {
            Pattern next = phases.of(iteration).name().equals(Pattern.FLOOR) ? floor : pattern;
            if (setup.ping()) {
                next.ping(worker, iteration);
            } else {
                next.pong(worker, iteration);
            }
        }
    }
}
