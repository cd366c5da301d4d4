package sun.hotspot;

/** The same interface by the name that it had until JDK 17, with one method: does the virtual machine still bind it? */
public final class WhiteBox {
    static {
        registerNatives();
    }

    private static native void registerNatives();

    /** As {@link jdk.test.whitebox.WhiteBox#getBooleanVMFlag}. */
    public native Boolean getBooleanVMFlag(String name);
}
