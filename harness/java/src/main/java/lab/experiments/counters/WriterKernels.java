package lab.experiments.counters;

import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import lab.Series;
import lab.Worker;

/**
 * Increments by the one thread that may write: each variant a loop of its own.
 *
 * <p>All but {@code folded} leave one store in memory per increment, and all of these but the two stores load the word
 * again for each. On x86 the stores of {@code plain}, {@code opaque} and {@code release} are the same instruction, the
 * loads of all variants too; the volatile store adds a locked instruction, which waits until the store has left the
 * store buffer.
 */
final class WriterKernels {
    private WriterKernels() {}

    /** The kernel of a variant; it takes one thread only. */
    static CounterKernel of(String variant) {
        return switch (variant) {
            case "folded" -> new Folded();
            case "plain" -> new Plain();
            case "opaque" -> new Opaque();
            case "release" -> new Release();
            case "volatile" -> new Volatile();
            case "release_store" -> new ReleaseStore();
            case "volatile_store" -> new VolatileStore();
            default -> throw new IllegalArgumentException("no kernel for variant " + variant);
        };
    }

    /** The control: the compiler may add up a whole chunk and store once, and does. */
    private static final class Folded extends LoopKernel {
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

    /**
     * A counter whose subclass has only the loop over its operation; the chunks and the timed operation are those of
     * every counter. A process runs one variant, so that the call of the loop has one target, and it is made twice per
     * chunk.
     */
    abstract static class LoopKernel extends CounterKernel {
        final SharedWord word = new SharedWord();

        @Override
        final long value() {
            return word.value();
        }

        /** So many operations. */
        abstract void operate(int times);

        @Override
        public final void run(Worker worker, int from, int to) {
            Series series = worker.series();
            int untimed = sampleEvery - 1;
            for (int iteration = from; iteration < to; iteration++) {
                long operations = 0;
                long now;
                long deadline = worker.begin(iteration);
                do {
                    operate(untimed);
                    long before = System.nanoTime();
                    operate(1);
                    now = System.nanoTime();
                    series.add(now - before);
                    operations += sampleEvery;
                } while (now - deadline < 0);
                worker.end(now, operations);
            }
        }
    }

    /** A plain increment behind a barging ReentrantLock. The compiler does not merge its critical sections. */
    static final class Locked extends WriterKernels.LoopKernel {
        private final ReentrantLock lock = new ReentrantLock();

        @Override
        void operate(int times) {
            SharedWord word = this.word;
            ReentrantLock lock = this.lock;
            for (int i = 0; i < times; i++) {
                lock.lock();
                try {
                    word.value++;
                } finally {
                    lock.unlock();
                }
            }
        }
    }
}
