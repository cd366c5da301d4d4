package lab.experiments.queues;

import java.util.Arrays;
import java.util.Locale;
import lab.load.Shape;

/** Who gives events to whom. */
enum Topology {
    ONE_TO_ONE(1, 1, 0),
    /** Two producers and one consumer: on two CPUs at a given rate only, where a thread that waits yields. */
    TWO_TO_ONE(2, 1, 0),
    /** Several producers and one consumer: LMAX's sequencer. */
    THREE_TO_ONE(3, 1, 0),
    /** Three consumers one after the other. */
    PIPELINE(1, 3, 2),
    /** Two consumers side by side, and one after both. */
    DIAMOND(1, 3, 2),
    /** Every event to each of three consumers: LMAX's multicast. */
    ONE_TO_THREE(1, 3, 0);

    final int producers;
    final int consumers;
    private final int stages;

    Topology(int producers, int consumers, int stages) {
        this.producers = producers;
        this.consumers = consumers;
        this.stages = stages;
    }

    /** As the parameter spells them; the first is the default. */
    static String[] names() {
        return Arrays.stream(values())
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .toArray(String[]::new);
    }

    static Topology of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** Each of which spins, or keeps another from a CPU. */
    int threads() {
        return producers + consumers;
    }

    Shape shape() {
        return new Shape(producers, consumers, false, true, stages);
    }

    /** The consumers that must have handled an event before this one gets it; none: it comes from the producers. */
    int[] before(int consumer) {
        if (consumer == 0 || stages == 0) {
            return new int[0];
        }
        if (this == PIPELINE) {
            return new int[] {consumer - 1};
        }
        return consumer == stages ? new int[] {0, 1} : new int[0];
    }

    /** Whether a slot is free once this consumer, and those like it, have handled it. */
    boolean last(int consumer) {
        return consumer >= stages;
    }
}
