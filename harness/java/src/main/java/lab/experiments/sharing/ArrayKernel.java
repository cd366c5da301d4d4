package lab.experiments.sharing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import lab.Failure;

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
}
