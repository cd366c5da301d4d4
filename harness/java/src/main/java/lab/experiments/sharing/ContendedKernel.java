package lab.experiments.sharing;

import java.util.Map;
import lab.Series;
import lab.Worker;

/** Every thread sets a volatile field that is annotated @Contended: the virtual machine pads it on both sides. */
final class ContendedKernel extends WordsKernel {
    static {
        ContendedClass.define("ContendedWord");
    }

    private final ContendedWord[] words;

    ContendedKernel(int threads) {
        words = new ContendedWord[threads];
        for (int thread = 0; thread < threads; thread++) {
            words[thread] = new ContendedWord(start(thread));
        }
    }

    @Override
    public void run(Worker worker, int from, int to) {
        ContendedWord word = words[worker.index()];
        Series series = worker.series();
        for (int iteration = from; iteration < to; iteration++) {
            long value = word.value;
            long operations = 0;
            long now;
            long deadline = worker.begin(iteration);
            long before = System.nanoTime();
            do {
                value = batch(word, value);
                operations += BATCH;
                now = System.nanoTime();
                series.add(now - before);
                before = now;
            } while (now - deadline < 0);
            worker.end(now, operations);
        }
    }

    private static long batch(ContendedWord word, long before) {
        long value = before;
        for (int i = 0; i < BATCH; i++) {
            word.value = --value;
        }
        return value;
    }

    @Override
    long word(int thread) {
        return words[thread].value;
    }

    @Override
    long[] addresses() {
        Map<String, Long> offsets = offsets();
        return offsets.isEmpty() ? null : Layout.addresses(words, offsets.get("value"));
    }

    @Override
    Map<String, Long> offsets() {
        return Layout.offsets(ContendedWord.class, "value");
    }
}
