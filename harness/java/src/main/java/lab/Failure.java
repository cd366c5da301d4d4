package lab;

/** Ends a trial with one of the documented exit statuses and one line that names the cause. */
public final class Failure extends RuntimeException {
    /** All checks passed. */
    public static final int MEASURED = 0;
    /** A bad argument. */
    public static final int BAD_ARGUMENT = 2;
    /** Not supported on this runtime. */
    public static final int UNSUPPORTED = 3;
    /** A check failed; the JSON is still printed, unless the trial did not come to its end. */
    public static final int CHECK_FAILED = 4;
    /** Disk space, memory or a permission is missing. */
    public static final int NO_RESOURCES = 5;

    private static final long serialVersionUID = 1L;

    private final int status;

    private Failure(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    /**
     * Status 2.
     *
     * @param argument the argument with its dashes, as {@code --threads}
     * @param value    the value as given
     * @param accepted what would have been accepted
     */
    public static Failure argument(String argument, String value, String accepted) {
        return new Failure(BAD_ARGUMENT, argument + " " + value + ": " + accepted);
    }

    /** Status 2 for a command line that is wrong as a whole. */
    static Failure usage(String message) {
        return new Failure(BAD_ARGUMENT, message);
    }

    /** Status 3; the reason says what the runtime lacks. */
    public static Failure unsupported(String reason) {
        return new Failure(UNSUPPORTED, reason);
    }

    /** Status 4 in the middle of a trial, of which nothing is left. */
    public static Failure check(String message) {
        return new Failure(CHECK_FAILED, message);
    }

    /** Status 5; the message names the resource and how much of it is needed. */
    public static Failure resource(String message) {
        return new Failure(NO_RESOURCES, message);
    }

    /** The exit status. */
    public int status() {
        return status;
    }
}
