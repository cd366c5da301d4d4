package lab.experiments.dispatch;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The receivers of one cycle of calls: one object per class, every class equally often, in an order no predictor can
 * guess from the classes before. The order is fixed by the seed.
 */
final class Receivers {
    /** Calls in one cycle. */
    static final int LENGTH = 4096;

    private final int[] ids = new int[LENGTH];
    private final Object[] objects = new Object[LENGTH];

    Receivers(List<Class<?>> classes, long seed) {
        Object[] one = new Object[classes.size()];
        for (int id = 0; id < one.length; id++) {
            one[id] = instance(classes.get(id));
        }
        for (int i = 0; i < LENGTH; i++) {
            ids[i] = i % one.length;
        }
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = LENGTH - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int id = ids[i];
            ids[i] = ids[other];
            ids[other] = id;
        }
        for (int i = 0; i < LENGTH; i++) {
            objects[i] = one[ids[i]];
        }
    }

    private static Object instance(Class<?> type) {
        try {
            return type.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("every receiver class has a constructor without arguments", e);
        }
    }

    /** Which class is called at a position of the cycle. */
    int id(int position) {
        return ids[position];
    }

    /** The receivers as an array of what the call site calls. */
    <T> T[] as(Class<T[]> type) {
        return Arrays.copyOf(objects, LENGTH, type);
    }
}
