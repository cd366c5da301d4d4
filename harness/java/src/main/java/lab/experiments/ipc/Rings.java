package lab.experiments.ipc;

import java.nio.file.Path;
import lab.Failure;

/** Makes the rings of a variant, in files, and connects the two ends by them. */
final class Rings {
    private final Setup setup;
    private final Rendezvous rendezvous;
    private final Memory.Shared.Mapping mapping;

    Rings(Setup setup, Rendezvous rendezvous) {
        this.setup = setup;
        this.rendezvous = rendezvous;
        boolean segments = setup.trial().variant().equals("ring_segment");
        mapping = segments ? SegmentMemory::map : BufferMemory::map;
    }

    Transport open(Outgoing out, Incoming in) {
        boolean agrona = setup.trial().variant().equals("agrona");
        if (setup.ping()) {
            make(agrona, rendezvous.ofPing());
            make(agrona, rendezvous.ofPong());
            rendezvous.made();
        } else {
            rendezvous.awaitMade();
        }
        Path writes = setup.ping() ? rendezvous.ofPing() : rendezvous.ofPong();
        Path reads = setup.ping() ? rendezvous.ofPong() : rendezvous.ofPing();
        Transport transport = agrona
                ? new AgronaTransport(out, in, AgronaTransport.attach(writes), AgronaTransport.attach(reads))
                : ours(out, in, RingFile.attach(writes, mapping), RingFile.attach(reads, mapping));
        if (setup.ping()) {
            rendezvous.awaitJoined();
        } else {
            rendezvous.joined();
        }
        return transport;
    }

    private Transport ours(Outgoing out, Incoming in, Ring outRing, Ring inRing) {
        return setup.sleeps()
                ? new RingTransport.Sleeping(out, in, outRing, inRing)
                : new RingTransport(out, in, outRing, inRing);
    }

    private void make(boolean agrona, Path file) {
        if (agrona) {
            AgronaTransport.create(file, setup.capacity());
        } else {
            RingFile.create(file, setup.capacity(), mapping);
        }
    }

    /** One process is both ends of one ring, that of {@code --ring} or one of its own. */
    Ring alone(String given) {
        Path file = given.isEmpty() ? rendezvous.ofPing() : Path.of(given);
        if (given.isEmpty()) {
            make(false, file);
        }
        Ring ring = RingFile.attach(file, mapping);
        if (given.isEmpty()) {
            Rendezvous.remove(file);
        } else if (ring.head() != ring.committed()) {
            throw Failure.argument(
                    "--ring",
                    given,
                    ring.committed() - ring.head() + " bytes of messages wait in it: give an empty ring");
        } else if (setup.size() > Ring.most(ring.capacity)) {
            throw Failure.argument(
                    "--ring", given, "its messages have at most " + Ring.most(ring.capacity) + " bytes; lower --size");
        }
        return ring;
    }
}
