package lab;

/** Ties the calling thread to one CPU and proves it. */
public final class Pinning {
    private Pinning() {}

    /** Pins the calling thread and reads the mask back; a {@link Failure} of status 2 if the kernel refuses. */
    public static void pin(int cpu) {
        int errno = Native.pin(cpu);
        int[] observed = Native.affinity();
        if (errno != 0 || observed.length != 1 || observed[0] != cpu) {
            throw Failure.argument(
                    "--cpus",
                    Integer.toString(cpu),
                    "the kernel refuses to run a thread there (errno " + errno + "); name CPUs this process may use");
        }
    }
}
