package lab.jmh;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** One increment of a counter without a lock: the operation of {@code atomic_increment}, in the loop JMH generates. */
public class Atomics {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(Counter.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The counter; JMH pads states, so it is alone on its cache lines, as in the harness. */
    @State(Scope.Benchmark)
    public static class Counter {
        long value;
    }

    /** The old value is returned: with a result that nobody reads the compiler would emit another instruction. */
    @Benchmark
    public long get_and_add(Placement placement, Counter counter) {
        return (long) VALUE.getAndAdd(counter, 1L);
    }

    @Benchmark
    public void cas_loop(Placement placement, Counter counter) {
        long old = (long) VALUE.getVolatile(counter);
        while (!VALUE.compareAndSet(counter, old, old + 1)) {
            old = (long) VALUE.getVolatile(counter);
        }
    }
}
