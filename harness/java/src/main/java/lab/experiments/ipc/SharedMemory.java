package lab.experiments.ipc;

import java.io.IOException;
import java.nio.channels.FileChannel;

/** Memory of two processes, with what a {@link Ring} needs to keep its writes in order. Ints and longs are aligned. */
abstract class SharedMemory extends Memory {
    /** How a file becomes memory. */
    interface Mapping {
        /** The first bytes of the file, shared with whoever maps it, with its pages at hand. */
        SharedMemory map(FileChannel file, long bytes) throws IOException;
    }

    abstract byte getByte(int at);

    abstract void putByte(int at, byte value);

    /** And what was written before it was put with release. */
    abstract int getIntAcquire(int at);

    /** After everything written before. */
    abstract void putIntRelease(int at, int value);

    abstract long getLongAcquire(int at);

    abstract void putLongRelease(int at, long value);

    abstract long getLongOpaque(int at);

    abstract void putLongOpaque(int at, long value);
}
