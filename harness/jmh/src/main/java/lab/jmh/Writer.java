package lab.jmh;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * One volatile increment by the only thread that writes: the operation of the variant {@code volatile} of the
 * experiment {@code single_writer}. JMH pads states, so that the word lies on cache lines of its own, as in the
 * harness. A chunk is a method of its own, as it is there: JMH's own loop reads a volatile flag per invocation, and a
 * load beside a fence is not free.
 */
public class Writer {
    static final int CHUNK = 1024;
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(Word.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The word. */
    @State(Scope.Benchmark)
    public static class Word {
        long value;
    }

    @Benchmark
    @OperationsPerInvocation(CHUNK)
    public void volatile_increment(Placement placement, Word word) {
        increment(word, CHUNK);
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    private static void increment(Word word, int times) {
        for (int i = 0; i < times; i++) {
            VALUE.setVolatile(word, (long) VALUE.getVolatile(word) + 1);
        }
    }
}
