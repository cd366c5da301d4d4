package lab.experiments.locks;

import java.util.Arrays;
import java.util.Comparator;
import java.util.LongSummaryStatistics;
import java.util.function.LongConsumer;
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
    private final long clockNanos;

    /** @param clockNanos what a reading of the clock adds between asking and release */
    LockServices(OwnerLog.Stretch[] logs, double clockNanos) {
        this.clockNanos = Math.round(clockNanos);
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

    /** The mean service of those that found the lock free; no number where none did. */
    double meanFree() {
        LongSummaryStatistics free = new LongSummaryStatistics();
        services(free, nanos -> {});
        return mean(free);
    }

    /** The mean service of those that waited; no number where none did. */
    double meanQueued() {
        LongSummaryStatistics queued = new LongSummaryStatistics();
        services(nanos -> {}, queued);
        return mean(queued);
    }

    private static double mean(LongSummaryStatistics values) {
        return values.getCount() == 0 ? Double.NaN : values.getAverage();
    }

    /** The services of those that found the lock free, and of those that another was in before, when they asked. */
    void services(LongConsumer free, LongConsumer queued) {
        for (int i = 1; i < operations.length; i++) {
            Operation before = operations[i - 1];
            Operation own = operations[i];
            // 0 or more: a thread may have lost its CPU between its release and its reading of the clock, and the next
            // one was in and out meanwhile.
            if (own.asked >= before.released) {
                free.accept(Math.max(0, own.released - own.asked - clockNanos));
            } else {
                queued.accept(Math.max(0, own.released - before.released));
            }
        }
    }
}
