package lab.experiments.gc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import lab.experiments.gc.ThreadTimes.Group;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Processor time by what threads are for: their names as the kernel has them, and the sums over a stretch. */
class ThreadTimesTest {
    @TempDir
    Path tasks;

    private void thread(int id, String name, long nanos) throws IOException {
        Path thread = Files.createDirectories(tasks.resolve(Integer.toString(id)));
        Files.writeString(thread.resolve("comm"), name + "\n");
        Files.writeString(thread.resolve("schedstat"), nanos + " 17 3\n");
    }

    @ParameterizedTest
    @CsvSource({
        "GC Thread#0,GC",
        "G1 Conc#0,GC",
        "G1 Main Marker,GC",
        "G1 Refine#0,GC",
        "G1 Service,GC",
        "ZWorkerYoung#0,GC",
        "ZWorker#0,GC",
        "ZDriverMajor,GC",
        "ZDirector,GC",
        "ZStat,GC",
        "ZUncommitter#0,GC",
        "Shenandoah GC T,GC",
        "Shenandoah Cont,GC",
        "C1 CompilerThre,COMPILERS",
        "C2 CompilerThre,COMPILERS",
        "VM Thread,VM",
        "VM Periodic Tas,VM",
        "t0,WORKER",
        "java,REST",
        "Common-Cleaner,REST",
        "GarbageMaker,REST",
        "Zip,REST"
    })
    void aThreadIsWhatItsNameSays(String name, Group group) {
        assertEquals(group, Group.of(name));
    }

    @Test
    void whatRanIsSummedByGroupAndAThreadThatBeganMeanwhileCounts() throws IOException {
        thread(1, "GC Thread#0", 1000);
        thread(2, "GC Thread#1", 50);
        thread(3, "t0", 7);
        ThreadTimes before = ThreadTimes.of(tasks);
        thread(1, "GC Thread#0", 1600);
        thread(4, "C2 CompilerThre", 9);
        Files.delete(tasks.resolve("2").resolve("schedstat"));
        ThreadTimes after = ThreadTimes.of(tasks);
        assertTrue(after.known());
        assertEquals(
                Map.of(Group.GC, 600L, Group.COMPILERS, 9L, Group.VM, 0L, Group.WORKER, 0L, Group.REST, 0L),
                after.since(before));
    }

    @Test
    void aKernelThatDoesNotCountIsKnown() throws IOException {
        thread(1, "t0", 0);
        assertFalse(ThreadTimes.of(tasks).known());
        Path none = Files.createDirectories(tasks.resolve("1").resolve("none"));
        assertFalse(ThreadTimes.of(none).known());
    }

    @Test
    void theProcessItselfIsRead() {
        assertEquals(5, ThreadTimes.now().since(ThreadTimes.of(tasks)).size());
    }
}
