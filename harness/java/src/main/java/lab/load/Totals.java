package lab.load;

import lab.Recorder;

/** What was sent and what was handled in a trial, which must be the same. */
final class Totals {
    /** One in so many differences between the clocks of two CPUs may be negative. */
    private static final long BACKWARD_SHARE = 1000;

    private final Load load;
    private final Shape shape;
    /** By consumer. */
    private final long[] pieces;

    private long sent;
    private long announced;
    private long handled;
    private long numbersSent;
    private long numbersHandled;
    private long contentSent;
    private long contentHandled;
    private long misplaced;
    private long samples;
    private long backward;

    Totals(Load load, Shape shape) {
        this.load = load;
        this.shape = shape;
        pieces = new long[shape.consumers()];
    }

    /** Adds what one producer sent in an iteration, as often as it is to be handled. */
    void sent(Pacer pacer, Schedule schedule) {
        int copies = shape.shared() ? 1 : shape.consumers();
        long events = pacer.sent();
        sent += events * copies;
        numbersSent += events * (events - 1) / 2 * copies;
        contentSent += load.paced() ? schedule.content(events) * copies : 0;
    }

    /** Adds what the consumer of that number handled in an iteration. */
    void handled(int consumer, Receipts receipts) {
        pieces[consumer] += receipts.handled;
        handled += receipts.handled;
        numbersHandled += receipts.numbers;
        contentHandled += receipts.content;
        misplaced += receipts.misplaced;
        announced += receipts.announced;
        samples += receipts.intended.count() + receipts.full.count();
        backward += receipts.backward;
    }

    /** Leaves the checks; where nobody consumes, whoever sends has to check. */
    void check(Recorder recorder, Receipts[] receipts) {
        if (shape.consumers() == 0) {
            return;
        }
        recorder.check("events handled equal events sent", sent, handled);
        if (announced > 0) {
            recorder.check("events announced by the end marks", sent, announced);
        }
        recorder.check("sum of the numbers", numbersSent, numbersHandled);
        recorder.check("sum of the due times", contentSent, contentHandled);
        if (shape.ordered() && !receipts[0].bare) {
            recorder.check("events out of order, lost or repeated", 0, misplaced);
        }
        if (load.work() > 0) {
            work(recorder, receipts);
        }
        boolean few = backward <= Math.max(1, samples / BACKWARD_SHARE);
        recorder.check("at most 1 of 1000 samples ended before it was sent", true, few);
    }

    /** A piece of work for every event. */
    private void work(Recorder recorder, Receipts[] receipts) {
        long expected = 0;
        long made = 0;
        for (int i = 0; i < receipts.length; i++) {
            expected += receipts[i].work.expected(pieces[i]);
            made += receipts[i].work.made();
        }
        recorder.check("sum of the adds of the work", expected, made);
    }
}
