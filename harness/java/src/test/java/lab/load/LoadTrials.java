package lab.load;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import lab.Harness;
import lab.Scripted;
import lab.Trial;
import org.junit.jupiter.api.io.TempDir;

/** Trials with the parameters of every experiment under load. */
abstract class LoadTrials {
    @TempDir
    Path folder;

    Path out() {
        return folder.resolve("o.hlog");
    }

    /** Runs a trial of five warm-up and three measured iterations unless told otherwise. */
    Harness.Result run(Consumer<Trial> script, String... more) {
        List<String> words = Harness.words("scripted --variant v --warmup 5 --iterations 3", out());
        return Harness.run(List.of(new Scripted(Load.parameters(), script)), Harness.changed(words, more));
    }
}
