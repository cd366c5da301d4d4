package lab.experiments.counters;

import lab.Trial;

/** The readers of a word that a second thread sets back to 0 again and again. */
final class BackwardReaders {
    private BackwardReaders() {}

    static void run(Trial trial) {
        SharedWord word = new SharedWord();
        Thread second = new Thread(() -> {
            while (!Thread.interrupted()) {
                SharedWord.VALUE.setVolatile(word, 0L);
                Thread.yield();
            }
        });
        second.setDaemon(true);
        second.start();
        try {
            new ReadersKernel(trial, word).run(trial);
        } finally {
            second.interrupt();
        }
    }
}
