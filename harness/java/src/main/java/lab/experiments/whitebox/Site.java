package lab.experiments.whitebox;

import java.lang.reflect.Executable;

/**
 * A call site and what it calls. All these classes are called {@code Site...}, so that a {@code CompileCommand} can
 * name their methods and no others.
 */
final class Site {
    /** Calls after which the order of the receivers repeats; the classes take turns. */
    static final int PERIOD = 64;

    private static final int[] MULTIPLIERS = {31, 37, 41};
    private static final int[] ADDENDS = {7, 11, 13};

    private Site() {}

    /** What is called. */
    interface Operation {
        int map(int value);
    }

    private static final class First implements Operation {
        @Override
        public int map(int value) {
            return value * 31 + 7;
        }
    }

    private static final class Second implements Operation {
        @Override
        public int map(int value) {
            return value * 37 + 11;
        }
    }

    private static final class Third implements Operation {
        @Override
        public int map(int value) {
            return value * 41 + 13;
        }
    }

    /** Maps a value by one receiver after the other: every call waits for the one before. */
    static int call(Operation[] receivers, int calls, int value) {
        int mapped = value;
        for (int i = 0; i < calls; i++) {
            mapped = receivers[i & PERIOD - 1].map(mapped);
        }
        return mapped;
    }

    /** What {@link #call} returns for whole cycles of so many classes, computed without a call. */
    static int expected(int classes, long cycles, int value) {
        // A cycle is value -> a * value + b.
        int a = 1;
        int b = 0;
        for (int i = 0; i < PERIOD; i++) {
            a = a * MULTIPLIERS[i % classes];
            b = b * MULTIPLIERS[i % classes] + ADDENDS[i % classes];
        }
        int mapped = value;
        for (long i = 0; i < cycles; i++) {
            mapped = mapped * a + b;
        }
        return mapped;
    }

    /** One cycle of receivers of so many classes, 1 to 3. */
    static Operation[] receivers(int classes) {
        Operation[] kinds = {new First(), new Second(), new Third()};
        Operation[] receivers = new Operation[PERIOD];
        for (int i = 0; i < PERIOD; i++) {
            receivers[i] = kinds[i % classes];
        }
        return receivers;
    }

    /** The call site and the methods that it calls with so many classes. */
    static Executable[] methods(int classes) {
        Class<?>[] kinds = {First.class, Second.class, Third.class};
        Executable[] methods = new Executable[classes + 1];
        try {
            for (int i = 0; i < classes; i++) {
                methods[i] = kinds[i].getDeclaredMethod("map", int.class);
            }
            methods[classes] = Site.class.getDeclaredMethod("call", Operation[].class, int.class, int.class);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("the site and its classes declare them", e);
        }
        return methods;
    }
}
