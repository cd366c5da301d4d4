package lab.experiments.ipc;

import lab.Phases;
import lab.Series;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * One end of a trial, which is this process: warm-up, and the floor among what is measured.
 *
 * @param words the bare word, and {@code wakes} the bare wake-up; null where one process is both ends
 */
record Ends(Setup setup, Phases phases, Words words, Wakes wakes, Pattern pattern) implements Workers.Body {
    static Ends alone(Setup setup) {
        Incoming in = new Incoming(setup.size(), null);
        Outgoing out = new Outgoing(setup.size());
        Ring ring = new Rings(setup, new Rendezvous(setup))
                .alone(setup.trial().parameters().getString("ring"));
        Phases phases = setup.trial().phases();
        Transport transport = new RingTransport(out, in, ring, ring);
        return new Ends(setup, phases, null, null, new Solo(setup, phases, transport, ring.capacity));
    }

    static Ends of(Setup setup) {
        Trial trial = setup.trial();
        Phases phases = Schedule.of(
                trial.parameters().getInt("warmup"), trial.parameters().getInt("iterations"), trial.iterationNanos());
        Rendezvous rendezvous = new Rendezvous(setup);
        if (trial.variant().equals("word")) {
            Words words = new Words(setup, phases, rendezvous.meet());
            return new Ends(setup, phases, words, new Wakes(setup, phases), words);
        }
        boolean taken = !setup.ping() && !setup.pattern().equals("round_trip");
        Series transit = taken ? trial.recorder().series("transit") : null;
        Outgoing out = new Outgoing(setup.size());
        Incoming in = new Incoming(setup.size(), transit);
        Transport transport = setup.overRings()
                ? new Rings(setup, rendezvous).open(out, in)
                : new Links(setup, rendezvous, out, in).open();
        boolean sharing = rendezvous.sharesCpu();
        Words words = new Words(setup, phases, sharing);
        Wakes wakes = new Wakes(setup, phases);
        return new Ends(setup, phases, words, wakes, pattern(setup, phases, transport, sharing, transit));
    }

    private static Pattern pattern(Setup setup, Phases phases, Transport transport, boolean sharing, Series transit) {
        return switch (setup.pattern()) {
            case "round_trip" -> new RoundTrip(setup, phases, transport, sharing);
            case "stream" -> new Stream(setup, phases, transport, sharing, transit);
            default -> new Paced(setup, phases, transport, sharing, transit);
        };
    }

    /** Runs the trial and leaves its checks. */
    void measure() {
        Trial trial = setup.trial();
        // A read that blocks looks at nothing else; other waits give up by themselves.
        Workers.platform(trial)
                .phases(phases)
                .patience(trial.iterationNanos() + Workers.GRACE_NANOS)
                .run(this);
        if (words != null) {
            words.check();
            wakes.check();
        }
        if (pattern != words) {
            pattern.check();
        }
    }

    @Override
    public void run(Worker worker, int from, int to) {
        for (int iteration = from; iteration < to; iteration++) {
            Phases.Phase phase = phases.of(iteration);
            Pattern next = Schedule.words(phase) ? words : Schedule.wakes(phase) ? wakes : pattern;
            if (setup.ping()) {
                next.ping(worker, iteration);
            } else {
                next.pong(worker, iteration);
            }
        }
    }
}
