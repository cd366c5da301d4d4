package lab.experiments.queues;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import lab.Harness;
import lab.Scripted;
import lab.Trial;
import org.junit.jupiter.api.io.TempDir;

/** Short runs of the experiment, and of its measurement with a structure that a test gives. */
abstract class QueuesRuns {
    static final int SLOTS = 1024;
    private static final String SHORT = " --slots " + SLOTS + " --warmup 4 --iterations 3";

    @TempDir
    Path folder;

    Path out() {
        return folder.resolve("o.hlog");
    }

    Harness.Result run(String variant, String... more) {
        List<String> words = Harness.words("queues --variant " + variant + SHORT, out());
        return Harness.run(Harness.changed(words, more));
    }

    Harness.Result measure(Topology topology, Function<Trial, Structure> structure, long graceNanos, String... more) {
        Scripted given = Scripted.inPlaceOf(
                new Queues(), trial -> Queues.measure(trial, topology, structure.apply(trial), graceNanos));
        List<String> words = Harness.words("scripted --variant v" + SHORT, out(), more);
        return assertTimeoutPreemptively(
                Harness.PATIENCE, () -> Harness.run(List.of(given), words.toArray(new String[0])));
    }
}
