package lab.experiments.ipc;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import lab.Native;

/** A direct or mapped buffer by VarHandles; bounds checks stay on. */
final class BufferMemory extends Memory.Shared {
    // Exact, and called with a buffer of the static type ByteBuffer: a MappedByteBuffer would be adapted at each call.
    // In native order, for the other one costs a swap.
    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder())
            .withInvokeExactBehavior();
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder())
            .withInvokeExactBehavior();

    private final ByteBuffer buffer;

    BufferMemory(ByteBuffer buffer) {
        this.buffer = buffer;
    }

    /** A {@link Memory.Shared.Mapping}. */
    static BufferMemory map(FileChannel file, long bytes) throws IOException {
        MappedByteBuffer mapped = file.map(MapMode.READ_WRITE, 0, bytes);
        return new BufferMemory(mapped.load());
    }

    /** What was there; ordered as by two full fences. */
    int getAndSetInt(int at, int value) {
        return (int) INTS.getAndSet(buffer, at, value);
    }

    /** Whether it was woken: see {@link Native#sleep}. */
    boolean sleep(int at, int value, long mostNanos) {
        return Native.sleep(buffer, at, value, mostNanos) == 0;
    }

    void wake(int at) {
        Native.wake(buffer, at);
    }

    @Override
    int getInt(int at) {
        return (int) INTS.get(buffer, at);
    }

    @Override
    void putInt(int at, int value) {
        INTS.set(buffer, at, value);
    }

    @Override
    int getIntAcquire(int at) {
        return (int) INTS.getAcquire(buffer, at);
    }

    @Override
    void putIntRelease(int at, int value) {
        INTS.setRelease(buffer, at, value);
    }

    @Override
    long getLong(int at) {
        return (long) LONGS.get(buffer, at);
    }

    @Override
    void putLong(int at, long value) {
        LONGS.set(buffer, at, value);
    }

    @Override
    long getLongAcquire(int at) {
        return (long) LONGS.getAcquire(buffer, at);
    }

    @Override
    void putLongRelease(int at, long value) {
        LONGS.setRelease(buffer, at, value);
    }

    @Override
    long getLongOpaque(int at) {
        return (long) LONGS.getOpaque(buffer, at);
    }

    @Override
    void putLongOpaque(int at, long value) {
        LONGS.setOpaque(buffer, at, value);
    }
}
