package jdk.test.whitebox;

import java.lang.reflect.Executable;

/**
 * What this project uses of HotSpot's interface for tests. The virtual machine binds these methods, by name and
 * signature, to a class of this name which the boot loader has loaded, if it was started with
 * {@code -XX:+UnlockDiagnosticVMOptions -XX:+WhiteBoxAPI}. For every method that it has and this class has not, it
 * prints a warning. The declaration is the project's own.
 */
public final class WhiteBox {
    static {
        registerNatives();
    }

    private static native void registerNatives();

    /** Collects the young generation. */
    public native void youngGC();

    /** Collects everything. */
    public native void fullGC();

    /** Stops all threads once. */
    public native void forceSafepoint();

    /**
     * Whether the object is in the old generation. A collector without generations says yes; Epsilon ends the virtual
     * machine.
     */
    public native boolean isObjectInOldGen0(Object object);

    /**
     * Asks for a compilation.
     *
     * @param level of tiered compilation, 1 to 4
     * @param bci   of the loop to enter at its back edge, or -1: the whole method
     * @return whether the method is in the queue now, by this request or by another one
     */
    public native boolean enqueueMethodForCompilation0(Executable method, int level, int bci);

    /**
     * Makes the method's compiled code not entrant.
     *
     * @param osr the code of its loops, entered at a back edge, in place of that of the whole method
     * @return how many pieces of code that were
     */
    public native int deoptimizeMethod0(Executable method, boolean osr);

    /** The level of the code that a call enters now; 0: it is interpreted. */
    public native int getMethodCompilationLevel0(Executable method, boolean osr);

    /** Whether the compiler of that level would compile the method. */
    public native boolean isMethodCompilable0(Executable method, int level, boolean osr);

    /** Forgets what was counted and profiled of the method. */
    public native void clearMethodState0(Executable method);

    /** Whether the object's lock is a monitor, and not only a mark in its header. */
    public native boolean isMonitorInflated0(Object object);

    /** Takes the monitors back that nobody uses, and waits until that is done. */
    public native boolean deflateIdleMonitors();

    /** The flag's value; null where there is no flag of that name and type. So with the other types. */
    public native Boolean getBooleanVMFlag(String name);

    /** Sets the flag; does nothing, and says nothing, where there is none of that name and type. */
    public native void setBooleanVMFlag(String name, boolean value);

    /** As {@link #getBooleanVMFlag}. */
    public native Long getIntVMFlag(String name);

    /** As {@link #getBooleanVMFlag}. */
    public native Long getUintVMFlag(String name);

    /** As {@link #setBooleanVMFlag}; a value that the flag's constraint forbids is ignored too. */
    public native void setUintVMFlag(String name, long value);

    /** As {@link #getBooleanVMFlag}. */
    public native Long getUintxVMFlag(String name);

    /** As {@link #setUintVMFlag}. */
    public native void setUintxVMFlag(String name, long value);

    /** Whether the flag is a constant of this build of the virtual machine. */
    public native boolean isConstantVMFlag(String name);
}
