package lab.experiments.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LockServicesTest {
    private static final int CLOCK = 20;
    private static final int MANY = 3000;
    private static final int THREADS = 3;

    private static OwnerLog[] logs(int threads, int capacity, long count) {
        OwnerLog[] logs = new OwnerLog[threads];
        Arrays.setAll(logs, i -> new OwnerLog(capacity, 1));
        for (OwnerLog log : logs) {
            log.prepare(count, true);
            log.opens(0);
        }
        return logs;
    }

    /** Thread 1 asks while thread 0 is in; then each finds the lock free; thread 0's last is after the stretch. */
    private static OwnerLog[] five(int capacity) {
        OwnerLog[] logs = logs(2, capacity, 50);
        logs[0].operation(100, 200, 50);
        logs[1].operation(150, 260, 51);
        logs[0].operation(300, 390, 52);
        logs[1].operation(390, 470, 53);
        logs[0].operation(480, 500, 54);
        return logs;
    }

    private static LockServices of(OwnerLog... logs) {
        return new LockServices(Arrays.stream(logs).map(OwnerLog::keep).toArray(OwnerLog.Stretch[]::new), CLOCK);
    }

    private static List<List<Long>> services(LockServices found) {
        return Stream.of(found.free, found.queued)
                .map(each -> Arrays.stream(each).boxed().toList())
                .toList();
    }

    @Test
    void whoWaitedIsServedFromTheReleaseBefore() {
        LockServices found = of(five(16));
        assertEquals(List.of(List.of(90L - CLOCK, 80L - CLOCK), List.of()), services(found), "from when both were in");
        assertEquals(2, found.operations());
        assertEquals(470 - 260, found.nanos());
    }

    @Test
    void aFullLogEndsItForAll() {
        assertEquals(0, of(five(1)).operations());
        assertEquals(0, of(five(1)).nanos());
    }

    @Test
    void aLateReadingMakesNoServiceNegative() {
        OwnerLog[] logs = logs(2, 8, 0);
        logs[0].operation(100, 5000, 0);
        logs[1].operation(150, 260, 1);
        logs[1].operation(300, 310, 2);
        logs[0].operation(5100, 5200, 3);
        logs[1].operation(5300, 5400, 4);
        assertEquals(List.of(List.of(0L, 80L), List.of()), services(of(logs)));
    }

    @Test
    void servicesOfAMadeUpQueueComeBack() {
        Random random = new Random(7);
        OwnerLog[] logs = logs(THREADS, MANY, 9);
        long[] asks = {10, 20, 30};
        long free = 0;
        long[] sums = new long[2];
        long[] counts = new long[2];
        boolean[] in = new boolean[THREADS];
        boolean all = false;
        for (int k = 0; k < MANY; k++) {
            int first = 0;
            for (int i = 1; i < THREADS; i++) {
                first = asks[i] < asks[first] ? i : first;
            }
            boolean waits = asks[first] < free;
            long service = CLOCK + random.nextInt(100);
            long released = (waits ? free : asks[first]) + service;
            logs[first].operation(asks[first], released, 9 + k);
            if (all) {
                sums[waits ? 1 : 0] += waits ? service : service - CLOCK;
                counts[waits ? 1 : 0]++;
            }
            in[first] = true;
            all = in[0] && in[1] && in[2];
            free = released;
            asks[first] = released + random.nextInt(300);
        }
        LockServices found = of(logs);
        List<List<Long>> services = services(found);
        // The last few may have been asked for after a thread had ended.
        assertEquals(counts[0] + counts[1], found.operations(), THREADS);
        for (int kind = 0; kind < 2; kind++) {
            long sum = services.get(kind).stream().mapToLong(each -> each).sum();
            assertEquals(counts[kind], services.get(kind).size(), THREADS);
            assertEquals(
                    (double) sums[kind] / counts[kind],
                    (double) sum / services.get(kind).size(),
                    1);
        }
    }
}
