package lab;

import java.nio.file.Path;

/** Thread affinity, from the harness's native library ({@code -Dlab.native}), which serves a class of this name. */
public final class Native {
    static {
        System.load(Path.of(System.getProperty("lab.native")).toAbsolutePath().toString());
    }

    private Native() {}

    /** Restricts the calling thread to one CPU; 0 or errno. */
    public static native int pin(int cpu);
}
