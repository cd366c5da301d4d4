package lab.experiments.dispatch;

/** The same operation as a class method, which dispatches through the vtable instead of an itable. */
public abstract class AbstractOperation {
    public abstract int map(int value);
}
