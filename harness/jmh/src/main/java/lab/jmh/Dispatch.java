package lab.jmh;

import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One interface call over shuffled receivers of 1, 2 or 4 classes: the operation of the variant {@code receivers} of
 * the experiment {@code dispatch}. Each call maps the value of the call before, so calls cannot overlap, and the last
 * value of a batch is the first of the next. A batch is a method of its own, as it is in the harness.
 *
 * <p>Were it not handed on, the core would begin a batch while it still works at the end of the one before: of 1,024
 * calls some forty fit into its reorder buffer, and a call would seem 4 % cheaper. The harness reads the clock between
 * two batches, and that reading waits for the batch before.
 */
public class Dispatch {
    static final int BATCH = 1024;
    static final int CYCLE = 1 << 18;

    /** What the call site calls. */
    public interface Step {
        int map(int value);
    }

    static final class First implements Step {
        @Override
        public int map(int value) {
            return (value ^ 1_013_904_223) * 1_664_525;
        }
    }

    static final class Second implements Step {
        @Override
        public int map(int value) {
            return (value ^ 907_633_385) * 22_695_477;
        }
    }

    static final class Third implements Step {
        @Override
        public int map(int value) {
            return (value ^ 1_406_932_607) * 1_103_515_245;
        }
    }

    static final class Fourth implements Step {
        @Override
        public int map(int value) {
            return (value ^ 1_442_695_041) * 134_775_813;
        }
    }

    /**
     * The receivers of one cycle, every class equally often, in the order of the harness, which no predictor learns.
     */
    @State(Scope.Thread)
    public static class Cycle {
        @Param({"1", "2", "4"})
        int classes;

        final Step[] receivers = new Step[CYCLE];
        int position;
        int value;

        /** Loads the classes that are called and no other: one more implementation could change the compiled call. */
        @Setup
        public void shuffle() {
            Step[] one = new Step[classes];
            for (int id = 0; id < classes; id++) {
                one[id] = step(id);
            }
            for (int i = 0; i < CYCLE; i++) {
                receivers[i] = one[i % classes];
            }
            SplittableRandom random = new SplittableRandom(1);
            for (int i = CYCLE - 1; i > 0; i--) {
                int other = random.nextInt(i + 1);
                Step moved = receivers[i];
                receivers[i] = receivers[other];
                receivers[other] = moved;
            }
        }

        private static Step step(int id) {
            switch (id) {
                case 0:
                    return new First();
                case 1:
                    return new Second();
                case 2:
                    return new Third();
                default:
                    return new Fourth();
            }
        }
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int receivers(Placement placement, Cycle cycle) {
        int from = cycle.position;
        cycle.position = from + BATCH & CYCLE - 1;
        cycle.value = callAll(cycle.receivers, from, cycle.value);
        return cycle.value;
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    private static int callAll(Step[] receivers, int from, int first) {
        int value = first;
        for (int i = from; i < from + BATCH; i++) {
            value = receivers[i].map(value);
        }
        return value;
    }
}
