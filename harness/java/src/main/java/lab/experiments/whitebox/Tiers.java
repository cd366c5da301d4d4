package lab.experiments.whitebox;

import java.lang.reflect.Executable;
import jdk.test.whitebox.WhiteBox;

/**
 * Brings methods to a tier (a compilation level): 0 is the interpreter, 1 to 3 are the first compiler's code without
 * profile, with counters and with the whole profile, 4 is the second compiler's.
 *
 * <p>One request does not do it: where the virtual machine has queued the method itself, it says yes and compiles at
 * its own tier. So requests are repeated until the tier is reached, and the machine is kept from asking for these
 * methods by {@code -XX:CompileCommand=CompileThresholdScaling,<methods>,1000000.0}. (To lock the compilers instead
 * keeps the tier too, but a thread that waits for a compilation then waits for ever, and the machine does not end on
 * SIGTERM.)
 */
record Tiers(WhiteBox box, Executable... methods) {
    /** In place of the index of a loop's bytecode: the method is compiled to be entered at its beginning. */
    static final int WHOLE = -1;
    /** With the whole profile, which the second compiler then finds. */
    static final int PROFILED = 3;

    static final int HIGHEST = 4;

    private static final int ATTEMPTS = 50;
    private static final long ATTEMPT_NANOS = 20_000_000;

    /** How many methods there are. */
    int count() {
        return methods.length;
    }

    /** How many of them are at the tier: calls enter code of it, and no loop has code of another tier. */
    int at(int tier) {
        int count = 0;
        for (Executable method : methods) {
            count += isAt(method, tier) ? 1 : 0;
        }
        return count;
    }

    private boolean isAt(Executable method, int tier) {
        int loops = box.getMethodCompilationLevel0(method, true);
        return box.getMethodCompilationLevel0(method, false) == tier && (loops == 0 || loops == tier);
    }

    /** Compiles all methods at the tier, or takes the code of all away for tier 0; whether that was reached. */
    boolean bring(int tier) {
        for (int attempt = 0; attempt < ATTEMPTS && at(tier) < methods.length; attempt++) {
            for (Executable method : methods) {
                if (!isAt(method, tier)) {
                    request(method, tier);
                }
            }
            long end = System.nanoTime() + ATTEMPT_NANOS;
            while (at(tier) < methods.length && System.nanoTime() - end < 0) {
                // The compiler may have to run on this CPU.
                Thread.yield();
            }
        }
        return at(tier) == methods.length;
    }

    private void request(Executable method, int tier) {
        box.deoptimizeMethod0(method, false);
        box.deoptimizeMethod0(method, true);
        if (tier > 0) {
            box.enqueueMethodForCompilation0(method, tier, WHOLE);
        }
    }
}
