package lab.experiments.ipc;

import java.io.IOException;
import java.nio.file.Path;
import lab.Failure;
import lab.Meeting;
import lab.TemporaryFiles;

/**
 * How the two ends find each other, by words of the meeting page (docs/formats.md): ping makes what both use and tells
 * its key, pong joins and says so, and ping takes the names of files away, so that nothing is left behind.
 */
final class Rendezvous {
    /** Words: what ping has passed, and in the next one what pong has. */
    static final int PASSED = 0;

    private static final int KEY = 2;
    private static final int READY = 3;
    /** Words: 1 + the CPU that ping is pinned to, and in the next one pong's; 0: none. */
    private static final int CPU = 4;

    private static final long NAP_MILLIS = 1;

    private final Setup setup;
    private final Meeting meeting;
    private final long begin = System.nanoTime();
    /** What was told, a port where that is what pong has to know. */
    long key;

    Rendezvous(Setup setup) {
        this.setup = setup;
        meeting = setup.trial().meeting();
        int[] cpus = setup.trial().cpus();
        meeting.setOpaque(CPU + setup.index(), cpus.length == 0 ? 0 : 1 + cpus[0]);
        // No two trials of a host have the same, nor a process that has the number of one before.
        key = (begin << 16 | ProcessHandle.current().pid() & 0xffff) & Long.MAX_VALUE;
    }

    /** The file that ping writes to, or is found at; for pong, once it was made. */
    Path ofPing() {
        return setup.dir().resolve("lab-ipc-" + Long.toHexString(key) + ".ping");
    }

    /** The file that pong writes to. */
    Path ofPong() {
        return setup.dir().resolve("lab-ipc-" + Long.toHexString(key) + ".pong");
    }

    /** By ping, in place of a key of its own. */
    void tell(long key) {
        this.key = key;
    }

    /** By ping: everything is there. */
    void made() {
        meeting.setRelease(KEY, key);
    }

    /** By pong: waits until everything is there. */
    void awaitMade() {
        key = await(KEY);
    }

    /** By pong: it has what ping made. */
    void joined() {
        meeting.setRelease(READY, 1);
    }

    /** By ping: waits until the other end has what was made, and takes the names away. */
    void awaitJoined() {
        await(READY);
        remove(ofPing());
        remove(ofPong());
    }

    /** By either, where nothing is made and joined: waits for the other; whether they share a CPU. */
    boolean meet() {
        if (setup.ping()) {
            made();
            await(READY);
        } else {
            awaitMade();
            joined();
        }
        return sharesCpu();
    }

    private long await(int word) {
        long value;
        while ((value = meeting.getAcquire(word)) == 0) {
            nap();
        }
        return value;
    }

    /** Between two looks for something of the other end, while nothing is measured. */
    void nap() {
        meeting.endIfHopeless(begin);
        try {
            Thread.sleep(NAP_MILLIS);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the main thread", e);
        }
    }

    static void remove(Path file) {
        try {
            TemporaryFiles.remove(file);
        } catch (IOException e) {
            throw Failure.resource(file + ": cannot be removed: " + e);
        }
    }

    /** Whether both ends are on one CPU, as far as they know; once both are here. */
    boolean sharesCpu() {
        long ping = meeting.getOpaque(CPU);
        return Runtime.getRuntime().availableProcessors() == 1 || ping != 0 && ping == meeting.getOpaque(CPU + 1);
    }
}
