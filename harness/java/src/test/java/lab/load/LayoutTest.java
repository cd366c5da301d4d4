package lab.load;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.junit.jupiter.api.Test;

/** What one thread writes all the time lies at least a pair of cache lines away from any other object's fields. */
@SuppressWarnings("removal")
class LayoutTest {
    private static final long PAIR_OF_LINES = 128;

    private static long offset(Field field) throws ReflectiveOperationException {
        Class<?> unsafe = Class.forName("sun.misc.Unsafe");
        Field instance = unsafe.getDeclaredField("theUnsafe");
        instance.setAccessible(true);
        return (long) unsafe.getMethod("objectFieldOffset", Field.class).invoke(instance.get(null), field);
    }

    private static long first(Class<?> type) throws ReflectiveOperationException {
        long first = Long.MAX_VALUE;
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                first = Math.min(first, offset(field));
            }
        }
        return first;
    }

    @Test
    void stateBeginsBehindThePadding() throws ReflectiveOperationException {
        Class<?> submitter = Class.forName("lab.experiments.executor.Submitter");
        for (Class<?> type :
                new Class<?>[] {Receipts.class.getSuperclass(), Pacer.class, Batches.class, Work.class, submitter}) {
            assertTrue(first(type) >= PAIR_OF_LINES, type.getSimpleName() + " at " + first(type));
        }
    }

    @Test
    void receiptsHavePaddingBehindThemToo() throws ReflectiveOperationException {
        long last = 0;
        for (Field field : Receipts.class.getSuperclass().getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                last = Math.max(last, offset(field));
            }
        }
        long end = 0;
        for (Field field : Receipts.class.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                assertTrue(offset(field) > last);
                end = Math.max(end, offset(field));
            }
        }
        assertTrue(end - last >= PAIR_OF_LINES - Long.BYTES, last + " to " + end);
    }
}
