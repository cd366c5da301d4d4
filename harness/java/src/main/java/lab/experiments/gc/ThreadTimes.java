package lab.experiments.gc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * The processor time of a process by what its threads are for, by the kernel's account of each
 * ({@code /proc/self/task/*}): exact to the nanosecond where the process's own counter has steps of 10 ms. A thread
 * that ended in between is not in it.
 */
final class ThreadTimes {
    /** What a thread is for. Serial collects in the virtual machine's own thread, others are led by it. */
    enum Group {
        GC,
        COMPILERS,
        VM,
        WORKER,
        REST;

        /** @param thread its name as the kernel has it: the first 15 characters of what HotSpot calls it */
        static Group of(String thread) {
            if (begins(thread, "GC Thread", "G1 ", "Shenandoah", "ZWorker", "ZDriver", "ZDirector", "ZStat", "ZUn")) {
                return GC;
            }
            if (begins(thread, "C1 Compiler", "C2 Compiler", "JVMCI")) {
                return COMPILERS;
            }
            if (thread.startsWith("VM ")) {
                return VM;
            }
            return thread.equals("t0") ? WORKER : REST;
        }

        private static boolean begins(String thread, String... names) {
            for (String name : names) {
                if (thread.startsWith(name)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** By thread: its group, and the nanoseconds it ran so far. */
    private final Map<String, Group> groups = new HashMap<>();

    private final Map<String, Long> nanos = new HashMap<>();

    private ThreadTimes() {}

    /** All threads as they are now; of a kernel that does not count, none. */
    static ThreadTimes now() {
        return of(Path.of("/proc/self/task"));
    }

    /** As {@link #now}, from another folder of threads. */
    static ThreadTimes of(Path tasks) {
        ThreadTimes times = new ThreadTimes();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
            for (Path thread : threads) {
                times.add(thread);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return times;
    }

    private void add(Path thread) throws IOException {
        try {
            String times = Files.readString(thread.resolve("schedstat"));
            long ran = Long.parseLong(times.substring(0, times.indexOf(' ')));
            String name = thread.getFileName().toString();
            groups.put(name, Group.of(Files.readString(thread.resolve("comm")).trim()));
            nanos.put(name, ran);
        } catch (NoSuchFileException e) {
            // It has ended, or the kernel was built without the account.
        }
    }

    /** Whether the kernel tells how long threads run. */
    boolean known() {
        for (long ran : nanos.values()) {
            if (ran > 0) {
                return true;
            }
        }
        return false;
    }

    /** Nanoseconds that each group ran since {@code before}. */
    Map<Group, Long> since(ThreadTimes before) {
        Map<Group, Long> sums = new EnumMap<>(Group.class);
        for (Group group : Group.values()) {
            sums.put(group, 0L);
        }
        for (Map.Entry<String, Long> each : nanos.entrySet()) {
            Group group = groups.get(each.getKey());
            long ran = each.getValue() - before.nanos.getOrDefault(each.getKey(), 0L);
            sums.put(group, sums.get(group) + ran);
        }
        return sums;
    }
}
