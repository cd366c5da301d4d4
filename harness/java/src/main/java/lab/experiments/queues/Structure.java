package lab.experiments.queues;

import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;

/**
 * One structure between producers and consumers, and how both wait for it. Each has a loop of its own around the call
 * that takes an event, though the loops look alike: one for all would measure how the compiler binds that call. A loop
 * around whole batches is shared ({@link Batching}).
 */
interface Structure {
    /** The producer's side; called once for each. */
    Sender sender(int producer);

    /** The consumer's side; called once for each. */
    Receiver receiver(int consumer, Receipts receipts);

    /** Events left in it, after all have been handled. */
    long left();
}
