package lab.experiments.sharing;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where the virtual machine has put fields and objects. Only sun.misc.Unsafe tells, and from JDK 24 on it warns of that
 * unless started with {@code --sun-misc-unsafe-memory-access=allow}; a runtime that refuses leaves everything unknown.
 */
final class Layout {
    /** Bytes per unit of a compressed reference that is shifted: the default alignment of objects. */
    private static final int SHIFTED = 8;

    private static final int COMPRESSED = 4;
    /** Enough small objects in a row that their references cannot all be multiples of 8 if they are shifted. */
    private static final int CALIBRATION = 64;

    private Layout() {}

    /** Offset in bytes of each instance field named, in that order; empty if unknown. */
    static Map<String, Long> offsets(Class<?> type, String... fields) {
        Map<String, Long> offsets = new LinkedHashMap<>();
        try {
            for (String field : fields) {
                offsets.put(field, (Long) call("objectFieldOffset", type.getDeclaredField(field)));
            }
            return offsets;
        } catch (ReflectiveOperationException unknown) {
            return Map.of();
        }
    }

    /** Offset in bytes of the first element of an array; 0 if unknown. */
    static int firstElement(Class<?> array) {
        try {
            return (int) call("arrayBaseOffset", array);
        } catch (ReflectiveOperationException unknown) {
            return 0;
        }
    }

    /**
     * Addresses of the objects plus {@code offset}, less the start of the heap (a multiple of a page); null if unknown,
     * as with references that are not compressed.
     */
    static long[] addresses(Object[] objects, long offset) {
        try {
            if ((int) call("arrayIndexScale", Object[].class) != COMPRESSED) {
                return null;
            }
            long unit = 1;
            for (long reference : references(calibration())) {
                unit = reference % SHIFTED == 0 ? unit : SHIFTED;
            }
            long[] addresses = references(objects);
            for (int i = 0; i < addresses.length; i++) {
                addresses[i] = addresses[i] * unit + offset;
            }
            return addresses;
        } catch (ReflectiveOperationException unknown) {
            return null;
        }
    }

    private static Object[] calibration() {
        Object[] objects = new Object[CALIBRATION];
        for (int i = 0; i < objects.length; i++) {
            objects[i] = new Object();
        }
        return objects;
    }

    private static long[] references(Object[] objects) throws ReflectiveOperationException {
        int base = (int) call("arrayBaseOffset", Object[].class);
        long[] references = new long[objects.length];
        for (int i = 0; i < references.length; i++) {
            references[i] = Integer.toUnsignedLong((int) call("getInt", objects, (long) base + i * COMPRESSED));
        }
        return references;
    }

    /** By reflection, for a compiler warns of every direct use. */
    private static Object call(String name, Object... arguments) throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field instance = type.getDeclaredField("theUnsafe");
        instance.setAccessible(true);
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
                return method.invoke(instance.get(null), arguments);
            }
        }
        throw new NoSuchMethodException(name);
    }
}
