package lab.experiments.ipc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import lab.Failure;
import lab.Meeting;

/**
 * Descriptors that block, or never do: a system call writes one message, or as many as asked for, and others read what
 * is missing of as many, for a stream has no messages. Of those that never block a read may find nothing, and a write
 * take a part. Buffers are direct: those on the heap would be copied into a hidden one.
 */
final class LinkTransport extends Transport {
    private final WritableByteChannel outChannel;
    private final ReadableByteChannel inChannel;
    private final ByteBuffer outBuffer;
    private final ByteBuffer inBuffer;
    private final Memory outMemory;
    private final Memory inMemory;
    private final int size;
    /** Of the messages not yet written. */
    private int outBytes;
    /** Up to where what was read has been taken. */
    private int taken;

    LinkTransport(
            Outgoing out, Incoming in, int writesOf, WritableByteChannel outChannel, ReadableByteChannel inChannel) {
        super(out, in);
        size = out.size;
        this.outChannel = outChannel;
        this.inChannel = inChannel;
        outBuffer = ByteBuffer.allocateDirect(size * writesOf);
        inBuffer = ByteBuffer.allocateDirect(size * writesOf);
        outMemory = new BufferMemory(outBuffer);
        inMemory = new BufferMemory(inBuffer);
        inBuffer.limit(inBuffer.capacity());
    }

    @Override
    boolean offer(int kind, long time) {
        // Memory sees no more of a buffer than its limit.
        outBuffer.clear();
        out.write(outMemory, outBytes, kind, time);
        outBytes += size;
        if (kind == Message.LAST || outBytes == outBuffer.capacity()) {
            outBuffer.limit(outBytes);
            outBytes = 0;
            write();
        }
        return true;
    }

    private void write() {
        try {
            int left = offers().patience();
            while (outBuffer.hasRemaining()) {
                if (outChannel.write(outBuffer) == 0) {
                    left = offers().turn(left);
                }
            }
        } catch (IOException e) {
            throw broken(e);
        }
    }

    @Override
    int poll(int most) {
        if (inBuffer.position() - taken < size && !read()) {
            return 0;
        }
        in.take(inMemory, taken, size);
        taken += size;
        return 1;
    }

    /** Whether a message is there now; only of a descriptor that never blocks it may not. */
    private boolean read() {
        if (taken > 0) {
            inBuffer.limit(inBuffer.position()).position(taken);
            inBuffer.compact();
            taken = 0;
        }
        try {
            while (inBuffer.position() < size) {
                int count = inChannel.read(inBuffer);
                if (count == 0) {
                    return false;
                }
                if (count < 0) {
                    throw Meeting.anotherFailed();
                }
            }
            return true;
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /** The kernel ends the descriptors of a process that ends. */
    private static Failure broken(IOException cause) {
        String said = String.valueOf(cause.getMessage());
        if (said.contains("Broken pipe") || said.contains("Connection reset")) {
            return Meeting.anotherFailed();
        }
        return Failure.check("a message could not be sent or received: " + cause);
    }

    @Override
    boolean ring() {
        return false;
    }

    /** What was sent has been received, or the last message of an iteration would not be there. */
    @Override
    boolean drained() {
        return true;
    }
}
