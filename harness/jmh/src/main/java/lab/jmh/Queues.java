package lab.jmh;

import java.util.concurrent.ArrayBlockingQueue;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Control;

/**
 * Events from one thread to another through a queue of references, at load 0 of the experiment {@code queues}: a JMH
 * group of one thread that offers and one that polls, an attempt per invocation, as JCTools measures its queues. What
 * compares is {@code received}: events that arrived, per second. Attempts that found the queue full or empty are
 * counted apart.
 *
 * <p>JCTools hands the same object over again and again. The harness hands over events that it makes beforehand, twice
 * as many as there are slots; the producer writes to each and the consumer reads it, so that the event's own cache line
 * moves as well. Both are here.
 *
 * <p>The queue is not emptied between iterations: a full one is what every iteration but the first begins with.
 */
public class Queues {
    /** What is handed over. */
    static final class Event {
        long number;
    }

    /**
     * Whether the timed part of an iteration is on. JMH also lets a thread work while it waits for the other one at
     * either end, and divides by the time between.
     */
    static boolean counts(Control control) {
        return control.startMeasurement && !control.stopMeasurement;
    }

    /** Attempts of the thread that sends. */
    @AuxCounters
    @State(Scope.Thread)
    public static class Sent {
        public long accepted;
        public long refused;

        void count(boolean wasAccepted, Control control) {
            if (!counts(control)) {
                return;
            }
            if (wasAccepted) {
                accepted++;
            } else {
                refused++;
            }
        }
    }

    /** Attempts of the thread that receives. */
    @AuxCounters
    @State(Scope.Thread)
    public static class Received {
        public long received;
        public long missed;

        void count(Event event, Control control) {
            if (!counts(control)) {
                return;
            }
            if (event != null) {
                received++;
            } else {
                missed++;
            }
        }
    }

    /** Capacity of the queues. */
    @State(Scope.Benchmark)
    public static class Capacity {
        @Param("65536")
        int slots;
    }

    /** The same event every time. */
    @State(Scope.Group)
    public static class Constant {
        final Event event = new Event();
    }

    /** The sender's events, each with the next number. */
    @State(Scope.Thread)
    public static class Numbered {
        private Event[] events;
        private long next;

        @Setup
        public void make(Capacity capacity) {
            events = new Event[2 * capacity.slots];
            for (int i = 0; i < events.length; i++) {
                events[i] = new Event();
            }
        }

        /** The next event. No more than {@code slots} are under way, so the receiver is long done with it. */
        Event next() {
            Event event = events[(int) next & events.length - 1];
            event.number = next;
            return event;
        }

        void sent(boolean accepted) {
            next += accepted ? 1 : 0;
        }
    }

    /** The number that the receiver must find in the next event. */
    @State(Scope.Thread)
    public static class Expected {
        private long next;

        void check(Event event) {
            if (event != null && event.number != next++) {
                throw new IllegalStateException("event " + event.number + " in place of " + (next - 1));
            }
        }
    }

    /** JCTools' queue. */
    @State(Scope.Group)
    public static class Spsc {
        SpscVarHandleArrayQueue<Event> queue;

        @Setup
        public void make(Capacity capacity) {
            queue = new SpscVarHandleArrayQueue<>(capacity.slots);
        }
    }

    /** The queue of the JDK. */
    @State(Scope.Group)
    public static class Blocking {
        ArrayBlockingQueue<Event> queue;

        @Setup
        public void make(Capacity capacity) {
            queue = new ArrayBlockingQueue<>(capacity.slots);
        }
    }

    @Benchmark
    @Group("jctools_constant")
    public void jctools_constant_offer(Placement placement, Spsc spsc, Constant constant, Sent sent, Control control) {
        sent.count(spsc.queue.offer(constant.event), control);
    }

    @Benchmark
    @Group("jctools_constant")
    public Event jctools_constant_poll(Placement placement, Spsc spsc, Received received, Control control) {
        Event event = spsc.queue.poll();
        received.count(event, control);
        return event;
    }

    @Benchmark
    @Group("jctools_events")
    public void jctools_events_offer(Placement placement, Spsc spsc, Numbered numbered, Sent sent, Control control) {
        boolean accepted = spsc.queue.offer(numbered.next());
        numbered.sent(accepted);
        sent.count(accepted, control);
    }

    @Benchmark
    @Group("jctools_events")
    public void jctools_events_poll(
            Placement placement, Spsc spsc, Expected expected, Received received, Control control) {
        Event event = spsc.queue.poll();
        expected.check(event);
        received.count(event, control);
    }

    /**
     * Waits for room. Not once the iteration is over: the other thread may have gone, and nobody would end the wait.
     * Until then it cannot have gone, for JMH lets no thread leave before all have ended their measured stretch.
     */
    @Benchmark
    @Group("abq")
    public void abq_put(Placement placement, Blocking blocking, Numbered numbered, Sent sent, Control control)
            throws InterruptedException {
        boolean accepted = true;
        if (control.stopMeasurement) {
            accepted = blocking.queue.offer(numbered.next());
        } else {
            blocking.queue.put(numbered.next());
        }
        numbered.sent(accepted);
        sent.count(accepted, control);
    }

    /** Waits for an event; not once the iteration is over. */
    @Benchmark
    @Group("abq")
    public void abq_take(Placement placement, Blocking blocking, Expected expected, Received received, Control control)
            throws InterruptedException {
        Event event = control.stopMeasurement ? blocking.queue.poll() : blocking.queue.take();
        expected.check(event);
        received.count(event, control);
    }
}
