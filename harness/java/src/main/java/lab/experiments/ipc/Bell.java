package lab.experiments.ipc;

import java.lang.invoke.VarHandle;

/**
 * By which the producer of a {@link Ring} wakes a consumer that sleeps: a word of the header, 1 while it sleeps or is
 * about to, and the kernel's futex on it. A consumer says so first and then looks once more; a producer that has
 * committed looks afterwards whether one sleeps. Between the two steps of either is a full fence, so at least one sees
 * what the other has done, and no message waits for one that sleeps.
 */
final class Bell {
    static final int ASLEEP_AT = 384;

    private final BufferMemory memory;

    Bell(BufferMemory memory) {
        this.memory = memory;
    }

    /** By a producer that begins: the one before it may have been killed on its way to do so. */
    void rouse() {
        memory.getAndSetInt(ASLEEP_AT, 0);
        memory.wake(ASLEEP_AT);
    }

    /** By the producer, after a commit. */
    void wake() {
        VarHandle.fullFence();
        if (memory.getInt(ASLEEP_AT) != 0 && memory.getAndSetInt(ASLEEP_AT, 0) != 0) {
            memory.wake(ASLEEP_AT);
        }
    }

    /** By the consumer of a ring that it found empty: it has to look once more, and then to sleep or to stay. */
    void announce() {
        memory.putInt(ASLEEP_AT, 1);
        VarHandle.fullFence();
    }

    /** By the consumer, which has found something after all. */
    void stay() {
        memory.putInt(ASLEEP_AT, 0);
    }

    /**
     * By the consumer: sleeps until a producer wakes it, and at most so long: the producer may be dead.
     *
     * @return whether nobody has, so that it has to sleep on: a message that is there all the same is one that was lost
     */
    boolean sleep(long mostNanos) {
        memory.sleep(ASLEEP_AT, 1, mostNanos);
        return memory.getIntAcquire(ASLEEP_AT) != 0;
    }
}
