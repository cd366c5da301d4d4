package lab;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.Objects;

/**
 * Where the parts of a trial meet, each of them a process: a page that all have mapped, as harness/README.md describes
 * it ("Parts of a trial"). A trial that is one process has a page of its own and waits for nobody.
 *
 * <p>The page has {@link #WORDS} words for the experiment, each on a line of its own, numbered from 0.
 */
public final class Meeting {
    /** Words for the experiment. */
    public static final int WORDS = 24;

    static final int BYTES = 4096;
    private static final int LINE = 128;
    private static final int ARRIVALS_AT = LINE;
    private static final int BROKEN_AT = 2 * LINE;
    private static final int COMPILED_AT = 3 * LINE;
    private static final int FIXED_AT = COMPILED_AT + Integer.BYTES;
    private static final int WORDS_AT = 4 * LINE;

    private static final int MOST_PARTS = 64;
    /** Turns of a wait before it yields: as at {@link Barrier}. */
    private static final int PATIENCE = 20_000;
    /** How often a wait that lasts looks around. One that was stopped meanwhile has missed looks and no time. */
    private static final long LOOK_NANOS = 100_000_000;

    /**
     * How the page is seen. Exact: with a buffer of the static type ByteBuffer nothing is adapted at a call. A class of
     * its own, since making them takes a millisecond or two and a part alone needs none.
     */
    static final class View {
        static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder())
                .withInvokeExactBehavior();
        static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder())
                .withInvokeExactBehavior();

        private View() {}
    }

    private final int part;
    private final int parts;
    private final ByteBuffer page;
    /** Null for a part alone. */
    private final MeetingFile file;
    /** Whether all parts have been here, so that one that is not to be seen has ended. */
    private boolean complete;

    private long lookedNanos;
    private int absences;

    private Meeting(int part, int parts, ByteBuffer page, MeetingFile file) {
        this.part = part;
        this.parts = parts;
        this.page = page;
        this.file = file;
    }

    /** The meeting of a trial that is one process. */
    static Meeting alone() {
        return new Meeting(0, 1, ByteBuffer.allocateDirect(BYTES + LINE).alignedSlice(LINE), null);
    }

    /**
     * Joins the others, and from now on ends with the process that started this one.
     *
     * @param file what follows {@code --meet}, or null
     * @param part what follows {@code --part}, or null
     * @throws Failure of status 2 that says what is wrong with either; of status 5 if the page cannot be mapped
     */
    static Meeting of(String file, String part) {
        if (file == null && part == null) {
            return alone();
        }
        if (part == null) {
            throw Failure.argument("--meet", file, "give --part I/N with it");
        }
        if (file == null) {
            throw Failure.argument("--part", part, "give --meet FILE with it");
        }
        String[] numbers = part.split("/", -1);
        int index = numbers.length == 2 ? number(numbers[0]) : -1;
        int parts = numbers.length == 2 ? number(numbers[1]) : -1;
        if (index < 0 || index >= parts || parts < 2 || parts > MOST_PARTS) {
            throw Failure.argument("--part", part, "give I/N, part I of N, with I from 0 to N-1 and N from 2 to 64");
        }
        MeetingFile opened = MeetingFile.open(file, index, parts);
        Native.require("--meet " + file);
        Native.dieWithParent();
        return new Meeting(index, parts, opened.page, opened);
    }

    /** A number as it is written without sign and leading zeros; -1 for anything else. */
    private static int number(String text) {
        try {
            int number = Integer.parseInt(text);
            return text.equals(Integer.toString(number)) ? number : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** Which part this is, 0 the main one. */
    public int part() {
        return part;
    }

    /** Of how many; 1: this is the whole trial. */
    public int parts() {
        return parts;
    }

    /** Part and parts as on the command line. */
    String name() {
        return part + "/" + parts;
    }

    /**
     * Returns when all parts have arrived, and have come back: who waited long for the others has yielded its CPU, and
     * may return to it milliseconds after they have gone on. So there are two rounds, and the second waits for it.
     *
     * @param patienceNanos how long they may take to
     * @throws Failure of status 4 where another part has failed, or does not come
     */
    void meet(long patienceNanos) {
        await(patienceNanos);
        await(patienceNanos);
    }

    /**
     * Returns when all parts have ended an iteration: whether something was compiled in it, in any of them, and none
     * has to have the iterations that were asked for.
     *
     * @param compiled whether this one did
     * @throws Failure as {@link #meet}
     */
    boolean compiled(int iteration, boolean compiled, long patienceNanos) {
        if (compiled) {
            View.INTS.setOpaque(page, COMPILED_AT, iteration + 1);
        }
        await(patienceNanos);
        return (int) View.INTS.getOpaque(page, COMPILED_AT) == iteration + 1
                && (int) View.INTS.getOpaque(page, FIXED_AT) == 0;
    }

    /** This part has to have the iterations that were asked for, and so all have. Called before the first. */
    void fix() {
        View.INTS.setOpaque(page, FIXED_AT, 1);
    }

    private void await(long patienceNanos) {
        long before = (long) View.LONGS.getAndAdd(page, ARRIVALS_AT, 1L);
        long full = (before / parts + 1) * parts;
        int spins = 0;
        int looks = 0;
        long looked = System.nanoTime();
        while ((long) View.LONGS.getAcquire(page, ARRIVALS_AT) < full) {
            endIfBroken();
            if (spins < PATIENCE) {
                spins++;
                Thread.onSpinWait();
                continue;
            }
            Thread.yield();
            long now = System.nanoTime();
            if (now - looked > LOOK_NANOS) {
                looked = now;
                looks++;
                endIfGone(now);
                if (looks * LOOK_NANOS > patienceNanos) {
                    throw Failure.check(String.format(
                            Locale.ROOT, "the other parts did not come to the meeting in %.3g s", patienceNanos / 1e9));
                }
            }
        }
        complete = parts > 1;
    }

    /**
     * Ends the trial where it is no use to wait on for something of another part: it has failed, or nothing came for
     * {@link Workers#GRACE_NANOS} past the end of the iteration. Asked now and then by a wait that lasts, which has to
     * look for what it waits for between one call and the next.
     *
     * @param deadlineNanos the end of the iteration
     * @throws Failure of status 4
     */
    public void endIfHopeless(long deadlineNanos) {
        endIfBroken();
        long now = System.nanoTime();
        endIfGone(now);
        if (now - deadlineNanos > Workers.GRACE_NANOS) {
            throw Failure.check("nothing came from another part for 10 s past the end of the iteration");
        }
    }

    private void endIfBroken() {
        if ((int) View.INTS.getAcquire(page, BROKEN_AT) != 0) {
            throw anotherFailed();
        }
    }

    /**
     * Twice in a row: what a part did before it ended, as all do after the last iteration, may have been done since the
     * caller looked for it, and must have been seen before the second time.
     */
    private void endIfGone(long now) {
        if (!complete || now - lookedNanos < LOOK_NANOS) {
            return;
        }
        lookedNanos = now;
        absences = file.othersAbsent() ? absences + 1 : 0;
        if (absences == 2) {
            throw anotherFailed();
        }
    }

    /** What ends a part that learns of the end of another: whoever started them looks for another cause. */
    public static Failure anotherFailed() {
        return Failure.check("another part failed");
    }

    /** Sends all who wait for this part, or will, away. */
    void breakUp() {
        View.INTS.compareAndSet(page, BROKEN_AT, 0, part + 1);
    }

    private static int at(int word) {
        return WORDS_AT + LINE * Objects.checkIndex(word, WORDS);
    }

    /** A word of the page, as {@link VarHandle#getOpaque} reads. */
    public long getOpaque(int word) {
        return (long) View.LONGS.getOpaque(page, at(word));
    }

    /** A word of the page, and what was written before it was set with release. */
    public long getAcquire(int word) {
        return (long) View.LONGS.getAcquire(page, at(word));
    }

    /** Sets a word of the page, as {@link VarHandle#setOpaque} does. */
    public void setOpaque(int word, long value) {
        View.LONGS.setOpaque(page, at(word), value);
    }

    /** Sets a word of the page after everything written before. */
    public void setRelease(int word, long value) {
        View.LONGS.setRelease(page, at(word), value);
    }

    /**
     * Sleeps until another part calls {@link #wake} of the word, at most so long; not at all where its low half is not
     * that of the value.
     *
     * @return whether it was woken
     */
    public boolean sleep(int word, long value, long mostNanos) {
        return Native.sleep(page, lowHalf(word), (int) value, mostNanos) == 0;
    }

    /** Wakes a part that sleeps at the word. */
    public void wake(int word) {
        Native.wake(page, lowHalf(word));
    }

    private static int lowHalf(int word) {
        return at(word) + (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0 : Integer.BYTES);
    }
}
