package lab.experiments.dispatch;

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
        Receivers receivers = receivers(trial.variant(), parameters, arguments);
        Progress progress = new Progress(trial);
        boolean oneInvocation = parameters.getString("warmup-style").equals("long");
        Workers.Body body = oneInvocation
                ? new LongKernel(receivers, progress)
                : new Batches(kernel(trial.variant(), receivers, arguments), progress);
        Workers.platform(trial).oneInvocation(oneInvocation).run(body);
        progress.check(receivers, arguments);
    }

    private static Receivers receivers(String variant, Parameters parameters, int arguments) {
        long seed = parameters.getLong("seed");
        switch (variant) {
            case "interfaces":
                return new Receivers(ReceiverClasses.withInterfaces(parameters.getInt("position")), seed);
            case "superclass":
                return new Receivers(ReceiverClasses.deep(parameters.getInt("position")), seed);
            case "arguments":
                return new Receivers(ReceiverClasses.withArguments(arguments), seed);
            case "inlined":
                return new Receivers(ReceiverClasses.plain(1), seed);
            default:
                return new Receivers(ReceiverClasses.plain(parameters.getInt("classes")), seed);
        }
    }

    private static Kernel kernel(String variant, Receivers receivers, int arguments) {
        switch (variant) {
            case "inlined":
                return new InlinedKernel();
            case "superclass":
                return new VirtualKernel(receivers);
            case "arguments":
                return ArgumentKernels.of(arguments, receivers);
            default:
                return new InterfaceKernel(receivers);
        }
    }
}
