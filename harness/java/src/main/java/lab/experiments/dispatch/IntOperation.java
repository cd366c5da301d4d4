package lab.experiments.dispatch;

/** What the call sites of the experiment call. */
interface IntOperation {
    int map(int value);
}
