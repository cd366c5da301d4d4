package lab.load;

/** A consumer's way in. */
public interface Receiver {
    /**
     * Takes events, gives each to its {@link Receipts}, and returns after the one for which {@link Receipts#on} says
     * that it was the last of the iteration.
     */
    void receive();

    /** Ends {@link #receive()} from another thread, once a worker has failed: an interrupt has already been sent. */
    default void abandon() {}
}
