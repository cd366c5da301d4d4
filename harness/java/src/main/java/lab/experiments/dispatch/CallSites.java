package lab.experiments.dispatch;

import java.util.List;
import lab.Parameters;
import lab.Trial;
import lab.Workers;

/** The variants with a prepared array of receivers: iterations by deadline, one value per batch of 1,024 calls. */
final class CallSites {
    private CallSites() {}

    /** Runs the trial's variant, and checks the sum of what its batches returned. */
    static void measure(Trial trial) {
        Parameters parameters = trial.parameters();
        int arguments = trial.variant().equals("arguments") ? parameters.getInt("arguments") : 0;
        int chains = Integer.parseInt(parameters.getString("chains"));
        List<Class<?>> classes = classes(trial.variant(), parameters, arguments);
        Receivers receivers = new Receivers(classes, parameters.getInt("period"), parameters.getLong("seed"));
        Progress progress = new Progress(trial);
        boolean oneInvocation = parameters.getString("warmup-style").equals("long");
        Workers.Body body = oneInvocation
                ? new LongKernel(receivers, progress)
                : new Batches(kernel(trial.variant(), receivers, arguments, chains), progress);
        Workers.platform(trial).oneInvocation(oneInvocation).run(body);
        progress.check(receivers, arguments, chains);
    }

    private static List<Class<?>> classes(String variant, Parameters parameters, int arguments) {
        return switch (variant) {
            case "interfaces" -> ReceiverClasses.withInterfaces(parameters.getInt("position"));
            case "superclass" -> ReceiverClasses.deep(parameters.getInt("position"));
            case "arguments" -> ReceiverClasses.withArguments(arguments);
            case "inlined" -> ReceiverClasses.plain(1);
            default -> ReceiverClasses.plain(parameters.getInt("classes"));
        };
    }

    private static Kernel kernel(String variant, Receivers receivers, int arguments, int chains) {
        return switch (variant) {
            case "inlined" -> chains == 1 ? new Kernel.Inlined() : new Kernel.IndependentInlined();
            case "superclass" -> new Kernel.Virtual(receivers);
            case "arguments" -> ArgumentKernels.of(arguments, receivers);
            default -> chains == 1 ? new Kernel.Interface(receivers) : new Kernel.IndependentCalls(receivers);
        };
    }
}
