package lab.experiments.executor;

/**
 * What runs tasks on worker threads of its own: one way to hand over, and one way to wait. What is not said here is of
 * one that has no threads.
 */
interface Pool {
    /** Starts the worker threads; returns when all are at work, so that no later task pays for a start. */
    default void start() {}

    /**
     * Hands a task over. Never waits and never refuses: there is room for all tasks of all windows at once.
     *
     * @throws java.util.concurrent.RejectedExecutionException if there is none, a defect
     */
    void execute(Task task);

    /** Lets the workers end once they have run all tasks; after the last {@link #execute}. */
    default void shutdown() {}

    /** How many tasks are still inside, after {@link #shutdown} and the end of the workers. */
    default int left() {
        return 0;
    }

    /** Lets the workers end at once, whatever is lost by that; at any time, and more than once. */
    default void abandon() {}
}
