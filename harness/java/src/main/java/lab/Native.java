package lab;

import java.io.FileDescriptor;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the JDK does not offer: thread affinity, context switches, waiting for a CPU, futexes, fallocate. Linux only.
 * The library is the one named by {@code -Dlab.native}, else {@code ../../c/build/liblab_native.so} as seen from the
 * jar's folder.
 */
public final class Native {
    private static final String PROBLEM = load();

    private Native() {}

    private static String load() {
        try {
            String library = System.getProperty("lab.native");
            if (library == null) {
                Path built = Path.of(Native.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI());
                library = built.getParent()
                        .resolve("../../c/build/liblab_native.so")
                        .normalize()
                        .toString();
            }
            System.load(Path.of(library).toAbsolutePath().toString());
            return "";
        } catch (UnsatisfiedLinkError | URISyntaxException e) {
            return e.getMessage();
        }
    }

    /** Whether the library was loaded; without it no other method may be called. */
    public static boolean available() {
        return PROBLEM.isEmpty();
    }

    /** A {@link Failure} of status 5 unless the library was loaded; {@code purpose} is the argument that needs it. */
    public static void require(String purpose) {
        if (!available()) {
            throw Failure.resource(purpose + " needs the native library: run 'make harness' (" + PROBLEM + ")");
        }
    }

    /** The kernel's list of CPUs that are online, as {@code 0-3,6}; empty where the kernel does not say. */
    static String onlineCpus() {
        try {
            return Files.readString(Path.of("/sys/devices/system/cpu/online")).trim();
        } catch (IOException e) {
            return "";
        }
    }

    /** Restricts the calling thread to one CPU; 0 or errno. */
    public static native int pin(int cpu);

    /** Puts the calling thread on a CPU and leaves it, and threads it starts, as free as it was; 0 or errno. */
    static native int visit(int cpu);

    /** The CPUs the calling thread may run on, ascending. */
    public static native int[] affinity();

    /** Voluntary and involuntary context switches of the calling thread so far (getrusage, RUSAGE_THREAD). */
    public static native long[] contextSwitches();

    /**
     * Of the calling thread so far, in nanoseconds: how long it ran, how long it waited for a CPU while it could run,
     * what all threads of the process used, and the time on the scale of {@link System#nanoTime()}; null where the
     * kernel does not count the waiting (/proc/thread-self/schedstat).
     */
    public static native long[] runDelay();

    /**
     * Of the calling thread so far: CPU time in nanoseconds, how often it slept (voluntary context switches), and page
     * faults that read nothing from a disk; null where the kernel does not say.
     */
    public static native long[] used();

    /** Reads what a chained addition and eight free ones take on this CPU, in nanoseconds ({@code reading.h}). */
    static native void readCore(double[] chainAndWide);

    /**
     * Reads one way of a word to the CPU of the worker that answers, in nanoseconds; NaN where it does not.
     *
     * @param lines a direct buffer, zeroed before its first use
     * @param pair  whose words in it
     */
    static native double readAsk(ByteBuffer lines, int pair);

    /** The other end of {@link #readAsk}. */
    static native void readAnswer(ByteBuffer lines, int pair);

    /**
     * Reads the state of the CPU {@code other} and the way of a word there from {@code cpu}, by two threads that live
     * for it; 0 or errno.
     */
    static native int readPair(int cpu, int other, double[] chainWideWord);

    /**
     * Sleeps while an int of memory that processes share has a value, until {@link #wake} of it.
     *
     * @param memory a direct buffer
     * @param at     of the int in it, aligned
     * @param most   nanoseconds
     * @return 0 when woken, or errno: EAGAIN where it has another value, ETIMEDOUT, EINTR
     */
    public static native int sleep(ByteBuffer memory, int at, int value, long most);

    /** Wakes one thread that sleeps so, in whatever process; how many there were. */
    public static native int wake(ByteBuffer memory, int at);

    /** From now on a read or write of the file that would wait moves nothing; 0 or errno. */
    public static native int neverBlock(FileDescriptor file);

    /** From now on the kernel ends this process when the thread that started it ends (SIGKILL); 0 or errno. */
    static native int dieWithParent();

    /** Allocates the first {@code bytes} of the file at {@code path}, creating it if need be; 0 or errno. */
    public static native int fallocate(String path, long bytes);

    /** Makes a named pipe; 0 or errno. */
    public static native int mkfifo(String path);
}
