package lab.experiments.counters;

import java.lang.invoke.VarHandle;
import lab.Series;
import lab.Worker;

/**
 * What an attempt of the loop around a compare-and-set does, but for the failure: load, an addition that needs the
 * loaded value and always succeeds, and a branch on whether another worker was faster between the two. The load takes
 * the line to read it and the addition takes it again to write it; a processor guesses the branch before the addition
 * is done, and where it guesses wrongly begins anew. So as many of these as complete, attempts of the loop can.
 *
 * <p>Written out as {@link CasLoopKernel} is, so that the compiler makes of both what differs by the instruction only.
 */
final class GetThenAddKernel extends CounterKernel {
    private final SharedWord word = new SharedWord();
    /** Never written, but the compiler of the runtime cannot know: it keeps the addition behind the load. */
    private long zero;

    @Override
    long value() {
        return word.value();
    }

    @Override
    String event() {
        return "outdated_loads";
    }

    /** In the branches a fence that is no instruction of x86: without it the compiler may add without a branch. */
    @Override
    public void run(Worker worker, int from, int to) {
        SharedWord word = this.word;
        long zero = this.zero;
        Series series = worker.series();
        int untimed = sampleEvery - 1;
        for (int iteration = from; iteration < to; iteration++) {
            long operations = 0;
            long outdated = 0;
            long now;
            long deadline = worker.begin(iteration);
            do {
                for (int i = 0; i < untimed; i++) {
                    long loaded = (long) SharedWord.VALUE.getVolatile(word);
                    if ((long) SharedWord.VALUE.getAndAdd(word, (loaded & zero) + 1) != loaded) {
                        outdated++;
                        VarHandle.acquireFence();
                    }
                }
                long before = System.nanoTime();
                long loaded = (long) SharedWord.VALUE.getVolatile(word);
                if ((long) SharedWord.VALUE.getAndAdd(word, (loaded & zero) + 1) != loaded) {
                    outdated++;
                    VarHandle.acquireFence();
                }
                now = System.nanoTime();
                series.add(now - before);
                operations += sampleEvery;
            } while (now - deadline < 0);
            counted(worker.index(), outdated);
            worker.end(now, operations);
        }
    }
}
