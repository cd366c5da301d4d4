package lab.experiments.sharing;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import lab.Experiment;
import lab.Failure;
import lab.Parameter;
import lab.Recorder;
import lab.Trial;
import lab.Workers;

/**
 * What does it cost that threads write different words of one cache line? Every thread writes its own word, counting
 * down (in {@code array_read} the first alone, and the others read theirs); a sample is the time of a batch of 4096.
 * With the words the trial leaves where they are: the smallest distance between two of them, how many share a line of
 * 64 bytes or an aligned pair of lines with another, and the offsets of the fields.
 *
 * <p>Run, and expect a write to take longer than as {@code padded}, where two CPUs run the threads:
 * <pre>
 * java -jar harness/java/target/lab-harness.jar false_sharing --variant unpadded --threads 2 \
 *     --warmup 5 --iterations 50 --out /tmp/x.hlog
 * </pre>
 */
public final class FalseSharing implements Experiment {
    private static final int LINE = 64;
    private static final int PAIR = 128;

    @Override
    public String name() {
        return "false_sharing";
    }

    @Override
    public List<Variant> variants() {
        return Variant.all(
                "array_volatile", "array_release", "array_add", "array_read", "unpadded", "padded", "contended");
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.ofInt("distance", Long.BYTES, 4096, LINE));
    }

    @Override
    public void run(Trial trial) {
        int distance = trial.parameters().getInt("distance");
        if (distance % Long.BYTES != 0) {
            throw trial.parameters().refused("distance", "must be a multiple of 8");
        }
        WordsKernel kernel = kernel(trial.variant(), trial.threads(), distance);
        kernel.offsets().forEach((field, offset) -> trial.recorder().measure(-1, "offset_" + field, offset));
        measure(trial, kernel);
        if (trial.variant().equals("padded")) {
            long padding = ((AtomicLongKernel) kernel).padding();
            trial.recorder().check("padding is untouched", 7L * trial.threads(), padding);
        }
    }

    private static WordsKernel kernel(String variant, int threads, int distance) {
        return switch (variant) {
            case "array_volatile" -> new ArrayKernel.Volatile(threads, distance);
            case "array_release" -> new ArrayKernel.Release(threads, distance);
            case "array_add" -> new ArrayKernel.Add(threads, distance);
            case "array_read" -> new ArrayKernel.Read(threads, distance);
            case "unpadded" -> new AtomicLongKernel(threads, false);
            case "padded" -> new AtomicLongKernel(threads, true);
            case "contended" -> contended(threads);
            default -> throw new IllegalArgumentException("no kernel for variant " + variant);
        };
    }

    private static WordsKernel contended(int threads) {
        String restricted;
        try {
            restricted = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .getVMOption("RestrictContended")
                    .getValue();
        } catch (IllegalArgumentException absent) {
            throw Failure.unsupported("this virtual machine has no @Contended");
        }
        if (restricted.equals("true")) {
            throw Failure.unsupported("@Contended counts outside the JDK only with -XX:-RestrictContended");
        }
        return new ContendedKernel(threads);
    }

    /** Runs the kernel, leaves where its words were, and checks that each holds what its own thread wrote last. */
    static void measure(Trial trial, WordsKernel kernel) {
        WordBookkeeping bookkeeping = new WordBookkeeping(trial, kernel);
        Workers.platform(trial).afterIteration(bookkeeping).run(kernel);
        int threads = trial.threads();
        long counted = 0;
        for (int thread = 0; thread < threads; thread++) {
            counted += WordsKernel.start(thread) - kernel.word(thread);
        }
        Recorder recorder = trial.recorder();
        recorder.check(
                "words that held their own thread's last write", (long) threads * trial.iterations(), bookkeeping.held);
        recorder.check("words counted down by all writes", bookkeeping.writes(), counted);
        recorder.check("reads that saw another value than their own word's", 0, kernel.strange());
    }

    /** After every iteration: what each word holds, and where it is. */
    private static final class WordBookkeeping implements Workers.AfterIteration {
        private final Recorder recorder;
        private final WordsKernel kernel;
        private final long[] written;
        private long held;

        WordBookkeeping(Trial trial, WordsKernel kernel) {
            this.recorder = trial.recorder();
            this.kernel = kernel;
            written = new long[trial.threads()];
        }

        @Override
        public void ended(int iteration, long[] operations) {
            for (int thread = 0; thread < written.length; thread++) {
                written[thread] += kernel.writes(thread) ? operations[thread] : 0;
                held += kernel.word(thread) == WordsKernel.start(thread) - written[thread] ? 1 : 0;
            }
            long[] addresses = written.length > 1 ? kernel.addresses() : null;
            if (addresses != null) {
                recorder.measure(iteration, "smallest_distance", Neighbours.distance(addresses));
                recorder.measure(iteration, "share_line", Neighbours.sharing(addresses, LINE));
                recorder.measure(iteration, "share_pair", Neighbours.sharing(addresses, PAIR));
            }
        }

        long writes() {
            long sum = 0;
            for (long each : written) {
                sum += each;
            }
            return sum;
        }
    }
}
