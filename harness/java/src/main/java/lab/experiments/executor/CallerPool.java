package lab.experiments.executor;

/** The control: no pool at all. The producer runs its task itself: what a task costs without being handed over. */
final class CallerPool implements Pool {
    @Override
    public void execute(Task task) {
        task.run();
    }
}
