package lab.experiments.handover;

import lab.Failure;

/** Every fifth hand-over skips a number, gets lost, or fails. */
final class BrokenHandover extends Handover {
    private static final int EVERY = 5;
    private static final long GRACE_NANOS = 200_000_000;

    private final String fault;
    private final Word[] words = {new Word(), new Word()};

    BrokenHandover(String fault) {
        this.fault = fault;
    }

    @Override
    protected long graceNanos() {
        return GRACE_NANOS;
    }

    @Override
    protected void pass(int side, long number) {
        boolean wrong = number % EVERY == 0;
        if (wrong && fault.equals("throws")) {
            throw Failure.resource("nothing left");
        }
        if (wrong && fault.equals("loses")) {
            return;
        }
        words[side].setRelease(wrong ? number + 1 : number);
    }

    @Override
    protected long await(int side, long previous) {
        long seen = words[side].getAcquire();
        while (seen == previous && !hopeless()) {
            Thread.yield();
            seen = words[side].getAcquire();
        }
        return seen;
    }
}
