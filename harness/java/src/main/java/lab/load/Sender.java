package lab.load;

/**
 * A producer's way out: the one thing that differs between what is put under load. One thread calls it. A wait in it
 * must end with an exception, or be ended by {@link Receiver#abandon()}, once the thread is interrupted.
 */
public interface Sender {
    /** In place of a number: the producer has sent all events of this iteration; {@code due} is how many. */
    long END = -1;

    /**
     * Hands one event over, and waits as long as there is no room for it.
     *
     * @param number of the event ({@link Receipts#index} and {@link Receipts#producer} take it apart), or {@link #END}
     * @param due    when it was to be sent, in nanoseconds from the start of the iteration; -1: it carries no times
     * @param sent   when it is, on the same scale
     */
    void send(long number, long due, long sent);

    /** Events so far for which there was no room at first, of all or of those that are stamped; -1: unknown. */
    default long full() {
        return -1;
    }

    /** Attempts refused so far, in all; -1: unknown, as where it waits asleep. */
    default long refused() {
        return -1;
    }
}
