package lab.experiments.counters;

import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Increments by the one thread that may write: each variant a loop of its own.
 *
 * <p>All but {@code folded} leave one store in memory per increment, and all of these but the two stores load the word
 * again for each. On x86 the stores of {@code plain}, {@code opaque} and {@code release} are the same instruction, the
 * loads of all variants too; the volatile store adds a locked instruction, which waits until the store has left the
 * store buffer.
 */
final class WriterKernels {
    private static final Map<String, IntFunction<LoopKernel>> KERNELS = Map.of(
            "folded", Folded::new,
            "plain", Plain::new,
            "opaque", Opaque::new,
            "release", Release::new,
            "volatile", Volatile::new,
            "release_store", ReleaseStore::new,
            "volatile_store", VolatileStore::new);

    private WriterKernels() {}

    /** Whether the variant is one of these, which take one thread only. */
    static boolean has(String variant) {
        return KERNELS.containsKey(variant);
    }

    /** @param sampleEvery operations per chunk, of which the last is timed */
    static CounterKernel of(String variant, int sampleEvery) {
        return KERNELS.get(variant).apply(sampleEvery);
    }

    /** The control: the compiler may add up a whole chunk and store once, and does. */
    private static final class Folded extends LoopKernel {
        Folded(int sampleEvery) {
            super(sampleEvery, 1);
        }

        @Override
        void operate(int times) {
            for (int i = 0; i < times; i++) {
                word.value++;
            }
        }
    }

    /**
     * A plain increment. The fence forbids the compiler to carry the value over from one increment to the next or to
     * drop a store. On x86 it is no instruction; on a weakly ordered machine it is one, and there {@code opaque} is
     * what the others should be compared with.
     */
    private static final class Plain extends LoopKernel {
        Plain(int sampleEvery) {
            super(sampleEvery, 1);
        }

        @Override
        void operate(int times) {
            SharedWord word = this.word;
            for (int i = 0; i < times; i++) {
                word.value++;
                VarHandle.releaseFence();
            }
        }
    }

    /** Opaque load, opaque store: each happens, no order with others is promised. */
    private static final class Opaque extends LoopKernel {
        Opaque(int sampleEvery) {
            super(sampleEvery, 1);
        }

        @Override
        void operate(int times) {
            SharedWord word = this.word;
            for (int i = 0; i < times; i++) {
                SharedWord.VALUE.setOpaque(word, (long) SharedWord.VALUE.getOpaque(word) + 1);
            }
        }
    }

    /** Opaque load, release store ({@code lazySet}): what was written before is seen by whoever sees the store. */
    private static final class Release extends LoopKernel {
        Release(int sampleEvery) {
            super(sampleEvery, 1);
        }

        @Override
        void operate(int times) {
            SharedWord word = this.word;
            for (int i = 0; i < times; i++) {
                SharedWord.VALUE.setRelease(word, (long) SharedWord.VALUE.getOpaque(word) + 1);
            }
        }
    }

    /** {@code ++} of a volatile field: a load, an addition, a store and a full fence. */
    private static final class Volatile extends LoopKernel {
        Volatile(int sampleEvery) {
            super(sampleEvery, 1);
        }

        @Override
        void operate(int times) {
            SharedWord word = this.word;
            for (int i = 0; i < times; i++) {
                SharedWord.VALUE.setVolatile(word, (long) SharedWord.VALUE.getVolatile(word) + 1);
            }
        }
    }

    /** The writer keeps its count to itself and only publishes it: an ordered store without a load. */
    private static final class ReleaseStore extends LoopKernel {
        private long count;

        ReleaseStore(int sampleEvery) {
            super(sampleEvery, 1);
        }

        @Override
        void operate(int times) {
            SharedWord word = this.word;
            long count = this.count;
            for (int i = 0; i < times; i++) {
                SharedWord.VALUE.setRelease(word, ++count);
            }
            this.count = count;
        }
    }

    /** The same with a volatile store. */
    private static final class VolatileStore extends LoopKernel {
        private long count;

        VolatileStore(int sampleEvery) {
            super(sampleEvery, 1);
        }

        @Override
        void operate(int times) {
            SharedWord word = this.word;
            long count = this.count;
            for (int i = 0; i < times; i++) {
                SharedWord.VALUE.setVolatile(word, ++count);
            }
            this.count = count;
        }
    }
}
