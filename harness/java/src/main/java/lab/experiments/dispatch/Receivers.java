package lab.experiments.dispatch;

import java.lang.reflect.Array;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The receivers of one cycle of calls: a pattern, repeated until it fills the cycle. Within the pattern every class
 * comes equally often, in an order that the seed fixes.
 *
 * <p>How long the pattern is decides what a branch predictor can know. A short one it learns by heart, shuffled or not;
 * of one of some hundred thousand calls it knows little. The cycle has the same length whatever the pattern's, so the
 * same references are read from the same places of memory, the classes are the same shares of them, and the compiler
 * sees the same profile: a difference between two lengths is one of prediction alone.
 */
final class Receivers {
    /** Calls in one cycle, and in the longest pattern. */
    static final int LENGTH = 1 << 18;
    /** Calls in the shortest pattern: with {@link Kernel#CHAINS} call sites every one still meets several classes. */
    static final int SHORTEST = 64;

    private final byte[] ids = new byte[LENGTH];
    private final Object[] one;

    /** @param period calls in the pattern, a power of two from {@link #SHORTEST} to {@link #LENGTH} */
    Receivers(List<Class<?>> classes, int period, long seed) {
        one = new Object[classes.size()];
        for (int id = 0; id < one.length; id++) {
            one[id] = instance(classes.get(id));
        }
        for (int i = 0; i < period; i++) {
            ids[i] = (byte) (i % one.length);
        }
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = period - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            byte id = ids[i];
            ids[i] = ids[other];
            ids[other] = id;
        }
        for (int i = period; i < LENGTH; i++) {
            ids[i] = ids[i - period];
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
        Object[] array = (Object[]) Array.newInstance(type.getComponentType(), LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            array[i] = one[ids[i]];
        }
        return type.cast(array);
    }
}
