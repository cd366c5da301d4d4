package lab.experiments.dispatch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiversTest {
    private static int[] ids(int classes, int period, long seed) {
        Receivers receivers = new Receivers(ReceiverClasses.plain(classes), period, seed);
        int[] ids = new int[Receivers.LENGTH];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = receivers.id(i);
        }
        return ids;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyClassIsEquallyFrequentAndTheOrderFollowsTheSeed(int classes) {
        int[] ids = ids(classes, Receivers.LENGTH, 1);
        for (int id = 0; id < classes; id++) {
            int wanted = id;
            long count = Arrays.stream(ids).filter(each -> each == wanted).count();
            assertTrue(Math.abs(count - (double) Receivers.LENGTH / classes) < 1, "class " + id + ": " + count);
        }
        assertArrayEquals(ids, ids(classes, Receivers.LENGTH, 1));
        if (classes > 1) {
            assertFalse(Arrays.equals(ids, ids(classes, Receivers.LENGTH, 2)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 4096, Receivers.LENGTH / 2})
    void thePatternRepeatsAfterThePeriodAndNotBefore(int period) {
        int[] ids = ids(8, period, 1);
        assertArrayEquals(
                Arrays.copyOf(ids, Receivers.LENGTH - period), Arrays.copyOfRange(ids, period, Receivers.LENGTH));
        int half = period / 2;
        assertFalse(Arrays.equals(Arrays.copyOf(ids, half), Arrays.copyOfRange(ids, half, period)));
        int[] first = Arrays.copyOf(ids, period);
        for (int id = 0; id < 8; id++) {
            int wanted = id;
            assertEquals(
                    period / 8,
                    Arrays.stream(first).filter(each -> each == wanted).count());
        }
    }

    @Test
    void objectsAreOfTheClassTheirIdSays() {
        List<Class<?>> classes = ReceiverClasses.plain(3);
        Receivers receivers = new Receivers(classes, 64, 1);
        IntOperation[] objects = receivers.as(IntOperation[].class);
        for (int i = 0; i < objects.length; i++) {
            assertSame(classes.get(receivers.id(i)), objects[i].getClass());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 17, 32})
    void theInterfaceStandsWhereThePositionSays(int position) {
        List<Class<?>> classes = ReceiverClasses.withInterfaces(position);
        assertEquals(4, classes.size());
        for (Class<?> each : classes) {
            Class<?>[] interfaces = each.getInterfaces();
            assertEquals(32, interfaces.length);
            assertSame(IntOperation.class, interfaces[position - 1]);
            // HotSpot leaves an interface without methods out of the itable.
            assertTrue(Arrays.stream(interfaces).allMatch(one -> one.getDeclaredMethods().length == 1));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 32})
    void everyLevelOfTheHierarchyOverridesTheMethod(int depth) throws NoSuchMethodException {
        for (Class<?> each : ReceiverClasses.deep(depth)) {
            assertEquals(depth, each.getInterfaces().length);
            int levels = 0;
            for (Class<?> type = each; type != AbstractOperation.class; type = type.getSuperclass()) {
                assertSame(type, type.getDeclaredMethod("map", int.class).getDeclaringClass());
                levels++;
            }
            assertEquals(depth, levels);
        }
    }
}
