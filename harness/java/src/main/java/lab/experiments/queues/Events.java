package lab.experiments.queues;

import java.util.function.Supplier;

/** One producer's events, allocated beforehand and used again in turn, long after the other side is done with them. */
final class Events {
    private final Event[] events;
    private int next;

    /**
     * @param count a power of two; more than the other side ever holds, waiting and taken
     * @param made  a new event
     */
    Events(int count, Supplier<Event> made) {
        events = new Event[count];
        for (int i = 0; i < events.length; i++) {
            events[i] = made.get();
        }
    }

    Event next(long number, long due, long sent) {
        Event event = events[next++ & (events.length - 1)];
        event.set(number, due, sent);
        return event;
    }
}
