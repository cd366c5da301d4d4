package lab.experiments.ipc;

/**
 * Bytes at offsets from 0, in native byte order: what messages are written to and read from. A trial loads one subclass
 * only, so that its methods are inlined where they are called.
 */
abstract class Memory {
    abstract int getInt(int at);

    abstract void putInt(int at, int value);

    abstract long getLong(int at);

    abstract void putLong(int at, long value);
}
