package lab.experiments.ipc;

import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * Bytes at offsets from 0, in native byte order: what messages are written to and read from. A trial loads one subclass
 * only, so that its methods are inlined where they are called.
 */
abstract class Memory {
    abstract int getInt(int at);

    abstract void putInt(int at, int value);

    abstract long getLong(int at);

    abstract void putLong(int at, long value);

    /**
     * Memory of two processes, with what a {@link Ring} needs to keep its writes in order. Ints and longs are aligned.
     */
    abstract static class Shared extends Memory {
        /** How a file becomes memory. */
        interface Mapping {
            /** The first bytes of the file, shared with whoever maps it, with its pages at hand. */
            Shared map(FileChannel file, long bytes) throws IOException;
        }

        /** And what was written before it was put with release. */
        abstract int getIntAcquire(int at);

        /** After everything written before. */
        abstract void putIntRelease(int at, int value);

        abstract long getLongAcquire(int at);

        abstract void putLongRelease(int at, long value);

        abstract long getLongOpaque(int at);

        abstract void putLongOpaque(int at, long value);
    }
}
