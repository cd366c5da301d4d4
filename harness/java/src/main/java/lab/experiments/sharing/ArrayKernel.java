package lab.experiments.sharing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Words at a given distance from each other in one array. The array is a direct buffer, seen as longs: unlike a
 * {@code long[]} it does not move and can be told where to begin, which is at the start of a page. So words 64 bytes
 * apart lie in the two lines of one aligned pair, and words 128 bytes apart in different pairs.
 */
abstract class ArrayKernel extends WordsKernel {
    static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int PAGE = 4096;

    final ByteBuffer words;
    private final int threads;
    private final int distance;

    ArrayKernel(int threads, int distance) {
        this.threads = threads;
        this.distance = distance;
        // A page before the first word and one behind the last, so that nobody else's data are near; a third to align.
        words = ByteBuffer.allocateDirect(3 * PAGE + threads * distance).alignedSlice(PAGE);
        for (int thread = 0; thread < threads; thread++) {
            LONG.setVolatile(words, at(thread), start(thread));
        }
    }

    /** Index in bytes of a thread's word. */
    final int at(int thread) {
        return PAGE + thread * distance;
    }

    @Override
    public final long word(int thread) {
        return (long) LONG.getVolatile(words, at(thread));
    }

    @Override
    public final long[] addresses() {
        long[] addresses = new long[threads];
        for (int thread = 0; thread < threads; thread++) {
            addresses[thread] = words.alignmentOffset(0, PAGE) + at(thread);
        }
        return addresses;
    }
}
