package lab;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * Memory segments of JDK 22 and later by handles, since the harness is also compiled by JDK 17: segments, arenas and
 * layouts are Objects here. A handle that is to be inlined where it is called is a constant of the class that calls it.
 */
public final class ForeignMemory {
    private static final int SINCE = 22;

    private ForeignMemory() {}

    /** Why this runtime has no memory segments; empty where it has. */
    public static String missing() {
        int feature = Runtime.version().feature();
        return feature < SINCE ? "memory segments need JDK " + SINCE + ", this is JDK " + feature : "";
    }

    /** The handles, looked up once. */
    private static final class Handles {
        static final Class<?> ARENA = type("Arena");
        static final Class<?> SEGMENT = type("MemorySegment");
        static final MethodHandle MAP;

        static {
            Lookup lookup = MethodHandles.publicLookup();
            MethodType map = MethodType.methodType(SEGMENT, MapMode.class, long.class, long.class, ARENA);
            try {
                MAP = lookup.findVirtual(FileChannel.class, "map", map)
                        .asType(MethodType.methodType(
                                Object.class, FileChannel.class, MapMode.class, long.class, long.class, Object.class));
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private Handles() {}
    }

    /** A class or interface of {@code java.lang.foreign}. */
    public static Class<?> type(String name) {
        try {
            return Class.forName("java.lang.foreign." + name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(missing(), e);
        }
    }

    /** A layout by the name of its constant, such as {@code JAVA_INT}: native order, aligned. */
    public static Object layout(String name) throws ReflectiveOperationException {
        return type("ValueLayout").getField(name).get(null);
    }

    /** Access to values of a layout, exact, of the coordinates {@code (Object segment, long offset)}. */
    public static VarHandle access(String layout) throws ReflectiveOperationException {
        Object value = layout(layout);
        VarHandle access =
                (VarHandle) type("ValueLayout").getMethod("varHandle").invoke(value);
        MethodHandle cast =
                MethodHandles.identity(Object.class).asType(MethodType.methodType(Handles.SEGMENT, Object.class));
        // Public since JDK 22.
        Object filtered = MethodHandles.class
                .getMethod("filterCoordinates", VarHandle.class, int.class, MethodHandle[].class)
                .invoke(null, access, 0, new MethodHandle[] {cast});
        return ((VarHandle) filtered).withInvokeExactBehavior();
    }

    /** An arena by the name of the method that makes it, such as {@code ofConfined}. */
    public static Object arena(String kind) throws ReflectiveOperationException {
        return Handles.ARENA.getMethod(kind).invoke(null);
    }

    /** The first bytes of a file as a segment of that arena. */
    public static Object map(FileChannel file, MapMode mode, long bytes, Object arena) throws IOException {
        try {
            return (Object) Handles.MAP.invokeExact(file, mode, 0L, bytes, arena);
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** What a handle threw that declares no checked exception. */
    public static Error unexpected(Throwable e) {
        if (e instanceof RuntimeException) {
            throw (RuntimeException) e;
        }
        return e instanceof Error ? (Error) e : new AssertionError(e);
    }
}
