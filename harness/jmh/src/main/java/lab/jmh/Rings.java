package lab.jmh;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.YieldingWaitStrategy;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Events from one thread to another through the Disruptor, with the parameters of its own performance tests: one
 * producer, one BatchEventProcessor that yields while it waits, and a handler that adds the events' values up. An
 * invocation publishes so many events, waits until the last is handled, and checks the sum. Between invocations the
 * handler's thread waits, as it does within them.
 */
public class Rings {
    /** Of an invocation: many times the ring, and a multiple of a claim. LMAX: 100 times as many. */
    static final int EVENTS = 1_000_000;

    /** What is handed over. */
    static final class Event {
        long value;
    }

    /** Adds the values up until the last of an invocation. */
    static final class Adder implements EventHandler<Event> {
        /** On a cache line of its own: the producer looks at it while the last events are handled. */
        final Sequence handled = new Sequence();

        private long sum;
        private long last;

        /** Before the first event is published. */
        void expect(long sequence) {
            sum = 0;
            last = sequence;
        }

        @Override
        public void onEvent(Event event, long sequence, boolean endOfBatch) {
            sum += event.value;
            if (sequence == last) {
                handled.set(sequence);
            }
        }

        long sum() {
            while (handled.get() != last) {
                Thread.onSpinWait();
            }
            return sum;
        }
    }

    /** The ring, and the thread of its handler, on the CPU after the producer's. */
    @State(Scope.Benchmark)
    public static class Ring {
        @Param("65536")
        int slots;

        RingBuffer<Event> ring;
        private final Adder adder = new Adder();
        private BatchEventProcessor<Event> processor;
        private Thread consumer;

        @Setup
        public void open() {
            ring = RingBuffer.createSingleProducer(Event::new, slots, new YieldingWaitStrategy());
            processor = new BatchEventProcessorBuilder().build(ring, ring.newBarrier(), adder);
            ring.addGatingSequences(processor.getSequence());
            consumer = new Thread(
                    () -> {
                        Placement.pin(1);
                        processor.run();
                    },
                    "consumer");
            consumer.setDaemon(true);
            consumer.start();
        }

        @TearDown
        public void close() throws InterruptedException {
            processor.halt();
            consumer.join();
        }

        void expect() {
            adder.expect(ring.getCursor() + EVENTS);
        }

        void check() {
            long expected = (long) EVENTS * (EVENTS - 1) / 2;
            if (adder.sum() != expected) {
                throw new IllegalStateException("the values add up to " + adder.sum() + ", not " + expected);
            }
        }
    }

    /** Events of one claim. */
    @State(Scope.Benchmark)
    public static class Claim {
        @Param("10")
        int batch;

        @Setup
        public void check() {
            if (EVENTS % batch != 0) {
                throw new IllegalArgumentException(EVENTS + " events are not whole claims of " + batch);
            }
        }
    }

    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public void one_by_one(Placement placement, Ring state) {
        RingBuffer<Event> ring = state.ring;
        state.expect();
        for (int i = 0; i < EVENTS; i++) {
            long sequence = ring.next();
            ring.get(sequence).value = i;
            ring.publish(sequence);
        }
        state.check();
    }

    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public void claims(Placement placement, Ring state, Claim claim) {
        RingBuffer<Event> ring = state.ring;
        int batch = claim.batch;
        state.expect();
        for (int i = 0; i < EVENTS; i += batch) {
            long high = ring.next(batch);
            long low = high - batch + 1;
            for (long sequence = low; sequence <= high; sequence++) {
                ring.get(sequence).value = i + (sequence - low);
            }
            ring.publish(low, high);
        }
        state.check();
    }
}
