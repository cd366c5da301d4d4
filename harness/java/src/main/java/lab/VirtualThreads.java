package lab;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

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
     * Makes the scheduler use one carrier per distinct CPU and pins each. Must come before any other use of virtual
     * threads. Does nothing for an empty list.
     */
    static void pinCarriers(int[] cpus) {
        int[] distinct = Arrays.stream(cpus).distinct().toArray();
        if (distinct.length > 0) {
            onCarriers(distinct.length, carrier -> Pinning.pin(distinct[carrier]));
        }
    }

    /**
     * Makes the scheduler use so many carriers and runs the action once on each: as many virtual threads as carriers
     * wait, without leaving them, until all are mounted, hence on different carriers. Must come before any other use of
     * virtual threads: the number of carriers is settled by the first.
     */
    public static void onCarriers(int carriers, IntConsumer action) {
        System.setProperty("jdk.virtualThreadScheduler.parallelism", Integer.toString(carriers));
        System.setProperty("jdk.virtualThreadScheduler.maxPoolSize", Integer.toString(carriers));
        AtomicInteger mounted = new AtomicInteger();
        AtomicReference<RuntimeException> refused = new AtomicReference<>();
        long end = System.nanoTime() + Workers.GRACE_NANOS;
        Thread[] visitors = new Thread[carriers];
        for (int i = 0; i < visitors.length; i++) {
            int carrier = i;
            visitors[i] = unstarted(() -> {
                mounted.incrementAndGet();
                while (mounted.get() < carriers && System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
                try {
                    action.accept(carrier);
                } catch (RuntimeException e) {
                    refused.set(e);
                }
            });
            visitors[i].start();
        }
        try {
            for (Thread visitor : visitors) {
                visitor.join();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the main thread", e);
        }
        if (refused.get() != null) {
            throw refused.get();
        }
    }
}
