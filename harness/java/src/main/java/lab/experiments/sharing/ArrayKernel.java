package lab.experiments.sharing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import lab.Failure;
import lab.Series;
import lab.Worker;

/**
 * Words at a given distance from each other in one {@code long[]}, the first of them at the start of a page. So words
 * 64 bytes apart lie in the two lines of one aligned pair, and words 128 bytes apart in different pairs.
 */
abstract class ArrayKernel extends WordsKernel {
    static final VarHandle LONG = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int PAGE = 4096;
    /** So large an array gets regions of its own in a trial's heap of G1 (regions of 1 MiB), and is not moved. */
    private static final int LEAST_BYTES = 1 << 20;

    final long[] words;
    private final int threads;
    private final int stride;
    private final int first;

    /** @param distance bytes from one thread's word to the next, a multiple of 8 */
    ArrayKernel(int threads, int distance) {
        this.threads = threads;
        stride = distance / Long.BYTES;
        // A page before the first word and one behind the last, so that nobody else's data are near; a third to align.
        words = new long[Math.max(LEAST_BYTES, 3 * PAGE + threads * distance) / Long.BYTES];
        long address = address();
        first = (int) ((2 * PAGE - address % PAGE) / Long.BYTES);
        for (int thread = 0; thread < threads; thread++) {
            LONG.setVolatile(words, at(thread), start(thread));
        }
    }

    private long address() {
        long[] address = Layout.addresses(new Object[] {words}, Layout.firstElement(long[].class));
        if (address == null) {
            throw Failure.unsupported("this virtual machine does not tell where an array is (sun.misc.Unsafe)");
        }
        return address[0];
    }

    /** Index of a thread's word. */
    final int at(int thread) {
        return first + thread * stride;
    }

    @Override
    final long word(int thread) {
        return (long) LONG.getVolatile(words, at(thread));
    }

    @Override
    final long[] addresses() {
        long origin = address();
        long[] addresses = new long[threads];
        for (int thread = 0; thread < threads; thread++) {
            addresses[thread] = origin + (long) at(thread) * Long.BYTES;
        }
        return addresses;
    }

    /** Atomic additions of -1, whose result nobody uses: one locked instruction on x86. */
    static final class Add extends ArrayKernel {
        Add(int threads, int distance) {
            super(threads, distance);
        }

        @Override
        public void run(Worker worker, int from, int to) {
            Series series = worker.series();
            int at = at(worker.index());
            for (int iteration = from; iteration < to; iteration++) {
                long operations = 0;
                long now;
                long deadline = worker.begin(iteration);
                long before = System.nanoTime();
                do {
                    batch(words, at);
                    operations += BATCH;
                    now = System.nanoTime();
                    series.add(now - before);
                    before = now;
                } while (now - deadline < 0);
                worker.end(now, operations);
            }
        }

        private static void batch(long[] words, int at) {
            for (int i = 0; i < BATCH; i++) {
                long unused = (long) LONG.getAndAdd(words, at, -1L);
            }
        }
    }

    /** Release stores: on x86 a plain store, which waits in the store buffer while the thread goes on. */
    static final class Release extends ArrayKernel {
        Release(int threads, int distance) {
            super(threads, distance);
        }

        @Override
        public void run(Worker worker, int from, int to) {
            Series series = worker.series();
            int at = at(worker.index());
            for (int iteration = from; iteration < to; iteration++) {
                long value = word(worker.index());
                long operations = 0;
                long now;
                long deadline = worker.begin(iteration);
                long before = System.nanoTime();
                do {
                    value = batch(words, at, value);
                    operations += BATCH;
                    now = System.nanoTime();
                    series.add(now - before);
                    before = now;
                } while (now - deadline < 0);
                worker.end(now, operations);
            }
        }

        private static long batch(long[] words, int at, long before) {
            long value = before;
            for (int i = 0; i < BATCH; i++) {
                LONG.setRelease(words, at, --value);
            }
            return value;
        }
    }

    /** Volatile stores: on x86 a store and a locked instruction that waits until the store is visible. */
    static final class Volatile extends ArrayKernel {
        Volatile(int threads, int distance) {
            super(threads, distance);
        }

        @Override
        public void run(Worker worker, int from, int to) {
            Series series = worker.series();
            int at = at(worker.index());
            for (int iteration = from; iteration < to; iteration++) {
                long value = word(worker.index());
                long operations = 0;
                long now;
                long deadline = worker.begin(iteration);
                long before = System.nanoTime();
                do {
                    value = batch(words, at, value);
                    operations += BATCH;
                    now = System.nanoTime();
                    series.add(now - before);
                    before = now;
                } while (now - deadline < 0);
                worker.end(now, operations);
            }
        }

        private static long batch(long[] words, int at, long before) {
            long value = before;
            for (int i = 0; i < BATCH; i++) {
                LONG.setVolatile(words, at, --value);
            }
            return value;
        }
    }

    /**
     * The first thread writes its word with release stores; every other reads its own, which nobody writes, and so must
     * see the same value for ever. Opaque reads are neither merged nor moved out of the loop.
     */
    static final class Read extends ArrayKernel {
        private static final int WRITER = 0;
        /** By thread, on lines of their own: reads that saw another value. Written after a timed stretch. */
        private final long[][] strange;

        Read(int threads, int distance) {
            super(threads, distance);
            strange = new long[threads][16];
        }

        @Override
        boolean writes(int thread) {
            return thread == WRITER;
        }

        @Override
        long strange() {
            long sum = 0;
            for (long[] each : strange) {
                sum += each[0];
            }
            return sum;
        }

        @Override
        public void run(Worker worker, int from, int to) {
            Series series = worker.series();
            int index = worker.index();
            int at = at(index);
            long expected = start(index);
            for (int iteration = from; iteration < to; iteration++) {
                long value = word(index);
                long seen = 0;
                long operations = 0;
                long now;
                long deadline = worker.begin(iteration);
                long before = System.nanoTime();
                do {
                    if (index == WRITER) {
                        value = write(words, at, value);
                    } else {
                        seen += read(words, at, expected);
                    }
                    operations += BATCH;
                    now = System.nanoTime();
                    series.add(now - before);
                    before = now;
                } while (now - deadline < 0);
                strange[index][0] += seen;
                worker.end(now, operations);
            }
        }

        private static long write(long[] words, int at, long before) {
            long value = before;
            for (int i = 0; i < BATCH; i++) {
                LONG.setRelease(words, at, --value);
            }
            return value;
        }

        private static long read(long[] words, int at, long expected) {
            long other = 0;
            for (int i = 0; i < BATCH; i++) {
                other += (long) LONG.getOpaque(words, at) != expected ? 1 : 0;
            }
            return other;
        }
    }
}
