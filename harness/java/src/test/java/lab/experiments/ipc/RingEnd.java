package lab.experiments.ipc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import lab.Failure;
import lab.TemporaryFiles;

/**
 * One end of a ring, as a process for tests that kill it or that have its other end in another language. Its twin is
 * harness/c/test/ring_end.c, with the same messages: message n, from 0, has 1 + r % most bytes, of r the n-th number
 * after the seed; byte j of it is n + r + 31 j.
 * <pre>
 * create FILE CAPACITY
 * produce FILE SEED MOST COUNT          until COUNT messages are sent, in all; prints how many are
 * consume FILE SEED MOST COUNT JOURNAL  until COUNT messages are taken, in all; JOURNAL has how many were used
 * sleep FILE SEED MOST COUNT JOURNAL    the same, and sleeps where there is none
 * script FILE SEED MOST STEPS           both: step n offers the next message and, if its r is odd, takes one
 * </pre>
 */
final class RingEnd {
    private final Ring ring;
    private final Memory.Shared memory;
    private final Ring.Bell bell;
    private final long seed;
    private final int most;

    private RingEnd(Path file, long seed, int most) {
        ring = RingFile.attach(file, BufferMemory::map);
        memory = ring.memory;
        bell = new Ring.Bell((BufferMemory) memory);
        this.seed = seed;
        this.most = most;
    }

    public static void main(String[] args) throws IOException {
        try {
            run(args);
        } catch (Failure e) {
            System.err.println("RingEnd: " + e.getMessage());
            System.exit(e.status());
        }
    }

    private static void run(String[] args) throws IOException {
        Path file = Path.of(args[1]);
        if (args[0].equals("create")) {
            RingFile.create(file, Integer.parseInt(args[2]), BufferMemory::map);
            TemporaryFiles.keep(file);
            return;
        }
        RingEnd end = new RingEnd(file, Long.parseLong(args[2]), Integer.parseInt(args[3]));
        long count = Long.parseLong(args[4]);
        switch (args[0]) {
            case "produce" -> System.out.println(end.produce(count));
            case "script" -> end.script(count);
            default -> end.consume(count, Path.of(args[5]), args[0].equals("sleep"));
        }
    }

    private long random(long n) {
        long z = seed + (n + 1) * 0x9e3779b97f4a7c15L;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    private int length(long n) {
        return 1 + (int) Long.remainderUnsigned(random(n), most);
    }

    private boolean offer(Ring.Producer producer, long n) {
        int length = length(n);
        int at = producer.claim(length);
        if (at == Ring.Producer.FULL) {
            return false;
        }
        long first = n + random(n);
        for (int j = 0; j < length; j++) {
            put(memory, at + j, (byte) (first + 31 * j));
        }
        producer.commit();
        return true;
    }

    /** A byte of a ring, which is little-endian, by the int that holds it: no other record has a part of that. */
    static byte get(Memory memory, int at) {
        return (byte) (memory.getInt(at & -Integer.BYTES) >> Byte.SIZE * (at % Integer.BYTES));
    }

    /** Sets it. */
    static void put(Memory memory, int at, byte value) {
        int shift = Byte.SIZE * (at % Integer.BYTES);
        int rest = memory.getInt(at & -Integer.BYTES) & ~(0xff << shift);
        memory.putInt(at & -Integer.BYTES, rest | (value & 0xff) << shift);
    }

    private void check(Ring.Consumer consumer, int at, long n) {
        boolean equal = consumer.length() == length(n);
        long first = n + random(n);
        for (int j = 0; equal && j < consumer.length(); j++) {
            equal = get(memory, at + j) == (byte) (first + 31 * j);
        }
        if (!equal) {
            throw Failure.check("message " + n + " is another one");
        }
    }

    /** The number of the message that begins at a position, which only sizes and capacity decide. */
    private long numberAt(long position) {
        long n = 0;
        for (long at = 0; at < position; n++) {
            int record = Ring.record(length(n));
            long rest = ring.capacity - (at & (ring.capacity - 1));
            if (record > rest) {
                at += rest;
                if (at == position) {
                    break; // killed between the padding and the record
                }
            }
            at += record;
            if (at > position) {
                throw Failure.check("no message begins at position " + position);
            }
        }
        return n;
    }

    private long produce(long count) {
        Ring.Producer producer = new Ring.Producer(ring);
        long n = numberAt(ring.tail());
        bell.rouse();
        while (n < count) {
            if (offer(producer, n)) {
                n++;
                bell.wake();
            } else {
                Thread.yield();
            }
        }
        return n;
    }

    /** Where the next message is, however long that takes: one that nobody woke it for stays. */
    private int sleepForOne(Ring.Consumer consumer) {
        int at = Ring.Consumer.EMPTY;
        while (at == Ring.Consumer.EMPTY) {
            bell.announce();
            at = consumer.poll();
            if (at == Ring.Consumer.EMPTY) {
                while (bell.sleep(Long.MAX_VALUE)) {
                    continue;
                }
                at = consumer.poll();
            } else {
                bell.stay();
            }
        }
        return at;
    }

    private void consume(long count, Path journal, boolean sleeps) throws IOException {
        ByteBuffer used;
        try (FileChannel channel = FileChannel.open(journal, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            used = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES).order(ByteOrder.nativeOrder());
        }
        Ring.Consumer consumer = new Ring.Consumer(ring);
        long n = numberAt(ring.head());
        long told = used.getLong(0);
        if (n != told && n + 1 != told) {
            throw Failure.check(told + " messages were used, and the next is " + n);
        }
        while (n < count) {
            int at = consumer.poll();
            if (at == Ring.Consumer.EMPTY && sleeps) {
                at = sleepForOne(consumer);
            }
            if (at == Ring.Consumer.EMPTY) {
                Thread.yield();
                continue;
            }
            check(consumer, at, n);
            n++;
            used.putLong(0, n);
            consumer.release();
        }
    }

    private void script(long steps) {
        Ring.Producer producer = new Ring.Producer(ring);
        Ring.Consumer consumer = new Ring.Consumer(ring);
        long sent = 0;
        long taken = 0;
        for (long step = 0; step < steps; step++) {
            if (offer(producer, sent)) {
                sent++;
            }
            int at = random(step) % 2 != 0 ? consumer.poll() : Ring.Consumer.EMPTY;
            if (at != Ring.Consumer.EMPTY) {
                check(consumer, at, taken++);
                consumer.release();
            }
        }
    }
}
