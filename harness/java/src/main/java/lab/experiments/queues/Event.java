package lab.experiments.queues;

/** What is passed on: three words, written by the producer that owns it while nobody else has it. */
final class Event {
    long number;
    long due;
    long sent;

    /** An event without times leaves those of the one before, and only its number is written. */
    void set(long number, long due, long sent) {
        this.number = number;
        if (due >= 0) {
            this.due = due;
            this.sent = sent;
        }
    }
}
