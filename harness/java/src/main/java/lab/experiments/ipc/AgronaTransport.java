package lab.experiments.ipc;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import lab.Failure;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Two of Agrona's rings, over files of our making, used as it is meant to be: messages are written and read in place,
 * and those that are there are read at once, after which their room is free. A message of 60 bytes takes 72 of it.
 */
final class AgronaTransport extends Transport implements MessageHandler {
    private static final int TYPE = 1;

    private final OneToOneRingBuffer outRing;
    private final OneToOneRingBuffer inRing;
    private final Memory outMemory;
    private final Memory inMemory;
    private final int size;
    /** Of messages read whose room is not free yet. */
    private int batchBytes;

    AgronaTransport(Outgoing out, Incoming in, OneToOneRingBuffer outRing, OneToOneRingBuffer inRing) {
        super(out, in);
        size = out.size;
        this.outRing = outRing;
        this.inRing = inRing;
        outMemory = new AgronaMemory(outRing.buffer());
        inMemory = new AgronaMemory(inRing.buffer());
    }

    /** Makes the file of a ring; zeros are an empty one. */
    static void create(Path path, int capacity) {
        RingFile.allocate(path, capacity + (long) RingBufferDescriptor.TRAILER_LENGTH);
    }

    static OneToOneRingBuffer attach(Path path) {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new OneToOneRingBuffer(new UnsafeBuffer(
                    file.map(MapMode.READ_WRITE, 0, file.size()).load()));
        } catch (IOException e) {
            throw Failure.resource(path + ": cannot be mapped: " + e);
        }
    }

    @Override
    boolean offer(int kind, long time) {
        int at = outRing.tryClaim(TYPE, size);
        if (at < 0) {
            return false;
        }
        out.write(outMemory, at, kind, time);
        outRing.commit(at);
        return true;
    }

    @Override
    int poll(int most) {
        batchBytes = 0;
        return inRing.read(this, most);
    }

    @Override
    public void onMessage(int type, MutableDirectBuffer buffer, int at, int length) {
        boolean sampled = in.take(inMemory, at, length);
        int record = length + RecordDescriptor.HEADER_LENGTH;
        record += -record & (RecordDescriptor.ALIGNMENT - 1);
        batchBytes += record;
        if (sampled) {
            long bytes = inRing.producerPosition() - inRing.consumerPosition() - batchBytes;
            inRing().sample(bytes / (double) record, in.sampledFrom(), in.sampledAt());
        }
    }

    @Override
    boolean roomy() {
        return outRing.size() <= outRing.capacity() - outRing.capacity() / 4;
    }

    @Override
    boolean ring() {
        return true;
    }

    @Override
    boolean drained() {
        return outRing.size() == 0 && inRing.size() == 0;
    }

    /** Agrona's own access, bounds checks on. */
    private static final class AgronaMemory extends Memory {
        private final AtomicBuffer buffer;

        AgronaMemory(AtomicBuffer buffer) {
            this.buffer = buffer;
        }

        @Override
        int getInt(int at) {
            return buffer.getInt(at);
        }

        @Override
        void putInt(int at, int value) {
            buffer.putInt(at, value);
        }

        @Override
        long getLong(int at) {
            return buffer.getLong(at);
        }

        @Override
        void putLong(int at, long value) {
            buffer.putLong(at, value);
        }
    }
}
