package lab.experiments.dispatch;

/** What the call sites of the experiment call. Public, since its classes come from a loader of their own. */
public interface IntOperation {
    int map(int value);
}
