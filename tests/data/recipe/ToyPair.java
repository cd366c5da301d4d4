package lab.experiments.toy;

import java.util.List;
import lab.Experiment;
import lab.Failure;
import lab.Meeting;
import lab.Parameter;
import lab.Trial;
import lab.Worker;
import lab.Workers;

/**
 * Two processes hand a number to and fro over two words of the page they meet on: the least that has parts.
 *
 * <p>Run both at once, and expect a hand-over to take some hundred nanoseconds:
 * <pre>
 * head -c 4096 /dev/zero &gt; /dev/shm/page
 * java -jar harness/java/target/lab-harness.jar toy_pair --variant words --warmup 5 --iterations 50 \
 *     --meet /dev/shm/page --part 0/2 --out /tmp/x.hlog &amp;
 * harness/c/build/lab-harness toy_pair --variant words --warmup 5 --iterations 50 \
 *     --meet /dev/shm/page --part 1/2 --out /tmp/y.hlog
 * </pre>
 */
public final class ToyPair implements Experiment {
    /** Words of the page: the number as each part passed it on, negative in the last turn of an iteration. */
    private static final int PASSED = 0;
    /** How often each part has passed it on, set before it does. */
    private static final int COUNT = 2;

    private static final int PATIENCE = 1 << 15;

    @Override
    public String name() {
        return "toy_pair";
    }

    @Override
    public List<Variant> variants() {
        return List.of(Variant.of("words"));
    }

    @Override
    public List<Parameter> parameters() {
        return List.of();
    }

    @Override
    public void run(Trial trial) {
        Meeting meeting = trial.meeting();
        if (meeting.parts() != 2) {
            throw Failure.argument("--part", meeting.part() + "/" + meeting.parts(), "a toy_pair is two parts");
        }
        Part part = new Part(meeting);
        Workers.platform(trial).run(part);
        long others = meeting.getOpaque(COUNT + part.other);
        trial.recorder().check("hand-overs lost, repeated or out of order", 0, part.faults);
        trial.recorder().check("the other part passed it on as often", part.number, others);
    }

    private static final class Part implements Workers.Body {
        private final Meeting meeting;
        private final int self;
        private final int other;
        private long number;
        private long faults;

        Part(Meeting meeting) {
            this.meeting = meeting;
            self = meeting.part();
            other = 1 - self;
        }

        @Override
        public void run(Worker worker, int from, int to) {
            for (int iteration = from; iteration < to; iteration++) {
                long before = number;
                long deadline = worker.begin(iteration);
                if (self == 0) {
                    ping(worker, deadline);
                } else {
                    pong(deadline);
                }
                worker.end(System.nanoTime(), number - before);
            }
        }

        private void ping(Worker worker, long deadline) {
            boolean last;
            do {
                long start = System.nanoTime();
                last = start - deadline >= 0;
                long passed = last ? -number - 1 : number + 1;
                long previous = meeting.getOpaque(PASSED + other);
                pass(passed);
                faults += await(previous, deadline) == passed ? 0 : 1;
                worker.series().add(System.nanoTime() - start);
            } while (!last);
        }

        private void pong(long deadline) {
            long previous = meeting.getOpaque(PASSED + self);
            do {
                previous = await(previous, deadline);
                faults += Math.abs(previous) == number + 1 ? 0 : 1;
                pass(previous);
            } while (previous > 0);
        }

        private void pass(long passed) {
            number++;
            meeting.setOpaque(COUNT + self, number);
            meeting.setRelease(PASSED + self, passed);
        }

        private long await(long previous, long deadline) {
            int left = PATIENCE;
            long seen;
            while ((seen = meeting.getAcquire(PASSED + other)) == previous) {
                Thread.onSpinWait();
                if (--left == 0) {
                    Thread.yield();
                    meeting.endIfHopeless(deadline);
                    left = PATIENCE;
                }
            }
            return seen;
        }
    }
}
