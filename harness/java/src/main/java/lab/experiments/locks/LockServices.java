package lab.experiments.locks;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What each operation of an iteration with work outside took of the lock, put together from the logs of all threads:
 * from when it was asked for, or, where another had the lock then, from the release of that one, to its own release. A
 * server that always has one customer and then the next takes just these times, so they are its services; nothing of
 * the others' waiting is in them. To find the lock free and to get it from another are two kinds of service.
 *
 * <p>It needs the order in which threads were in, which is that of the counts, and no gap in it: a log that was full
 * ends it for all. As with hand-overs, the stretch lies where all threads are at work.
 */
final class LockServices {
    /** In nanoseconds since the iteration began; count: operations before it. */
    private record Operation(long count, long asked, long released) {}

    private final Operation[] operations;
    /** The services of those that found the lock free. */
    final long[] free;
    /** The services of those that another was in before, when they asked. */
    final long[] queued;

    /** @param clockNanos what a reading of the clock adds between asking and release */
    LockServices(OwnerLog.Stretch[] logs, double clockNanos) {
        long limit = OwnerLog.Stretch.limit(logs);
        long begun = Arrays.stream(logs)
                .mapToLong(log -> log.entries() > 0 ? log.nanos(0) : 0)
                .max()
                .orElse(0);
        long ended = Arrays.stream(logs).mapToLong(OwnerLog.Stretch::last).min().orElse(0);
        operations = Arrays.stream(logs)
                .flatMap(LockServices::of)
                .filter(each -> each.count <= limit)
                .sorted(Comparator.comparingLong(Operation::count))
                .dropWhile(each -> each.asked < begun)
                .takeWhile(each -> each.asked <= ended)
                .toArray(Operation[]::new);
        long clock = Math.round(clockNanos);
        // 0 or more: a thread may have lost its CPU between its release and its reading of the clock, and the next one
        // was in and out meanwhile.
        free = IntStream.range(1, operations.length)
                .filter(i -> !waited(i))
                .mapToLong(i -> Math.max(0, operations[i].released - operations[i].asked - clock))
                .toArray();
        queued = IntStream.range(1, operations.length)
                .filter(this::waited)
                .mapToLong(i -> Math.max(0, operations[i].released - operations[i - 1].released))
                .toArray();
    }

    /** Whether another was in when that operation asked. */
    private boolean waited(int operation) {
        return operations[operation].asked < operations[operation - 1].released;
    }

    private static Stream<Operation> of(OwnerLog.Stretch log) {
        return IntStream.range(0, log.entries())
                .mapToObj(entry -> new Operation(log.count(entry), log.nanos(entry), log.released(entry)));
    }

    /** Operations whose service is known: all but the first. */
    int operations() {
        return Math.max(0, operations.length - 1);
    }

    /** From the first release to the last. */
    long nanos() {
        return operations.length == 0 ? 0 : operations[operations.length - 1].released - operations[0].released;
    }
}
