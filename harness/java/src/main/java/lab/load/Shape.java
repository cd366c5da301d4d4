package lab.load;

/**
 * Who sends to whom.
 *
 * @param producers threads that send
 * @param consumers threads that handle events; none: the generator alone
 * @param shared    whether each event is handled by one of them; else by all
 * @param ordered   whether each of them gets a producer's events in order, without gaps
 * @param stages    how many of them only come before the others: an event's time does not end there
 */
public record Shape(int producers, int consumers, boolean shared, boolean ordered, int stages) {
    /** Consumers that are all last. */
    public Shape(int producers, int consumers, boolean shared, boolean ordered) {
        this(producers, consumers, shared, ordered, 0);
    }

    /** Whether a consumer's pairs of events tell its service time. */
    boolean pairs() {
        return producers == 1 && consumers == 1 && ordered;
    }
}
