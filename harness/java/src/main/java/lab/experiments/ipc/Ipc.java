package lab.experiments.ipc;

import java.nio.ByteOrder;
import java.util.List;
import lab.Experiment;
import lab.ForeignMemory;
import lab.Parameter;
import lab.Trial;

/**
 * What does a message from one process to another cost, through a ring in a file that both have mapped, and
 * through what the kernel offers? A trial is two parts, one of them in another role than the other, and among the
 * messages measures what a bare word and a bare wake-up cost. One operation is one way of a message; samples are round
 * trips, or the time from before a message was offered, or was due, until it was read.
 *
 * <p>Run both at once, and expect elapsed / (2 operations) of {@code hop.ping} some tens of nanoseconds above that of
 * {@code floor.ping}; some thousands with {@code --variant tcp}:
 * <pre>
 * head -c 4096 /dev/zero > /dev/shm/page
 * for part in 0 1; do
 *     [ $part = 0 ] &amp;&amp; role=ping || role=pong
 *     java -jar harness/java/target/lab-harness.jar ipc --variant ring --role $role \
 *         --warmup 25 --iterations 25 --iteration-ms 4 --cpus $part --meet /dev/shm/page --part $part/2 \
 *         --out /tmp/$part.hlog &amp;
 * done
 * </pre>
 */
public final class Ipc implements Experiment {
    private static final int BIGGEST = 65_532;
    private static final int FASTEST = 10_000_000;
    private static final int MOST_AT_ONCE = 1024;

    @Override
    public String name() {
        return "ipc";
    }

    @Override
    public List<Variant> variants() {
        boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
        String order = little ? "" : "the ring's file is little-endian, and so must the host be";
        return List.of(
                Variant.of("word"),
                new Variant("ring", order),
                new Variant("ring_segment", little ? ForeignMemory.missing() : order),
                Variant.of("agrona"),
                new Variant(Setup.SLEEPER, order),
                new Variant("ring_solo", order),
                Variant.of("pipe"),
                Variant.of("unix"),
                Variant.of("tcp"),
                Variant.of("pipe_spin"),
                Variant.of("unix_spin"),
                Variant.of("tcp_spin"));
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.choice("pattern", "round_trip", "stream", "paced"),
                Parameter.choice("role", "ping", "pong"),
                Parameter.ofInt("size", Message.SMALL, BIGGEST, Message.FIVE_WORDS),
                Parameter.ofInt("capacity", Ring.LEAST_CAPACITY, Ring.MOST_CAPACITY, 1 << 20),
                Parameter.ofInt("rate", 1, FASTEST, 100_000),
                Parameter.ofInt("sample-every", 0, 1 << 20, 0),
                Parameter.ofInt("writes-of", 1, MOST_AT_ONCE, 1),
                Parameter.choice("hint", "pause", "none", "yield"),
                Parameter.string("dir", "/dev/shm"),
                Parameter.string("ring", ""));
    }

    @Override
    public void run(Trial trial) {
        Setup setup = Setup.of(trial);
        Ends ends = trial.variant().equals("ring_solo") ? Ends.alone(setup) : Ends.of(setup);
        ends.measure();
    }
}
