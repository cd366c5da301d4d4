package lab;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Virtual threads from source level 17, through method handles. */
public final class VirtualThreads {
    private static final int SINCE = 21;

    private VirtualThreads() {}

    /** Why this runtime has no virtual threads; empty where it has them. */
    public static String missing() {
        int feature = Runtime.version().feature();
        return feature >= SINCE ? "" : "virtual threads need JDK " + SINCE + " or later; this is JDK " + feature;
    }

    /** A virtual thread that is not started yet. */
    static Thread unstarted(Runnable task) {
        try {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            Class<?> builder = Class.forName("java.lang.Thread$Builder");
            Class<?> ofVirtual = Class.forName("java.lang.Thread$Builder$OfVirtual");
            MethodHandle create = lookup.findStatic(Thread.class, "ofVirtual", MethodType.methodType(ofVirtual));
            MethodHandle finish =
                    lookup.findVirtual(builder, "unstarted", MethodType.methodType(Thread.class, Runnable.class));
            return (Thread) finish.invoke(create.invoke(), task);
        } catch (Throwable e) {
            throw new IllegalStateException("no virtual threads on this runtime", e);
        }
    }

    /**
     * Makes the scheduler use one carrier per distinct CPU and pins each: as many virtual threads as carriers spin
     * until all are mounted, hence on different carriers, and each pins the carrier below it. Must come before any
     * other use of virtual threads. Does nothing for an empty list.
     */
    static void pinCarriers(int[] cpus) {
        int[] distinct = Arrays.stream(cpus).distinct().toArray();
        if (distinct.length == 0) {
            return;
        }
        System.setProperty("jdk.virtualThreadScheduler.parallelism", Integer.toString(distinct.length));
        System.setProperty("jdk.virtualThreadScheduler.maxPoolSize", Integer.toString(distinct.length));
        AtomicInteger mounted = new AtomicInteger();
        AtomicReference<RuntimeException> refused = new AtomicReference<>();
        Thread[] pinners = new Thread[distinct.length];
        for (int i = 0; i < pinners.length; i++) {
            int cpu = distinct[i];
            pinners[i] = unstarted(() -> {
                mounted.incrementAndGet();
                while (mounted.get() < distinct.length) {
                    Thread.onSpinWait();
                }
                try {
                    Pinning.pin(cpu);
                } catch (Failure e) {
                    refused.set(e);
                }
            });
            pinners[i].start();
        }
        try {
            for (Thread pinner : pinners) {
                pinner.join();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the main thread", e);
        }
        if (refused.get() != null) {
            throw refused.get();
        }
    }
}
