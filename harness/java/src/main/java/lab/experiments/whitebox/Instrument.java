package lab.experiments.whitebox;

import jdk.test.whitebox.WhiteBox;
import lab.Failure;

/** The virtual machine's interface for tests, and its flags that are whole numbers whatever their type. */
final class Instrument {
    private static final String SWITCH = "WhiteBoxAPI";

    final WhiteBox box;

    /** A {@link Failure} of status 3 if this virtual machine does not offer it. */
    Instrument() {
        try {
            box = new WhiteBox();
            // Without the flag the class is initialised all the same; its first method is what fails then.
            box.getBooleanVMFlag(SWITCH);
        } catch (LinkageError e) {
            throw Failure.unsupported("the virtual machine's interface for tests is not bound; start it with"
                    + " -Xbootclasspath/a:harness/java/target/lab-whitebox.jar"
                    + " -XX:+UnlockDiagnosticVMOptions -XX:+" + SWITCH);
        }
    }

    /** Whether the virtual machine also binds the class by the name that it had until JDK 17. */
    static boolean bindsOldName() {
        try {
            return Boolean.TRUE.equals(new sun.hotspot.WhiteBox().getBooleanVMFlag(SWITCH));
        } catch (LinkageError e) {
            return false;
        }
    }

    /** Whether a flag exists and is set. */
    boolean has(String flag) {
        return Boolean.TRUE.equals(box.getBooleanVMFlag(flag));
    }

    /**
     * A flag's value, or null: there is none. The tenuring threshold is {@code uintx} on JDK 17 and {@code uint} on
     * JDK 25, that of ZGC {@code int}; the reader of another type has no answer.
     */
    Long number(String flag) {
        Long value = box.getUintVMFlag(flag);
        if (value == null) {
            value = box.getUintxVMFlag(flag);
        }
        return value == null ? box.getIntVMFlag(flag) : value;
    }

    /** Sets a flag that {@link #number} reads; whoever needs it to be set reads it back. */
    void set(String flag, long value) {
        if (box.getUintVMFlag(flag) != null) {
            box.setUintVMFlag(flag, value);
        } else {
            box.setUintxVMFlag(flag, value);
        }
    }
}
