package lab;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The virtual machine as it ran: name, version, flags as given, the options that decide what was measured; and the
 * kernel's clock source.
 */
final class RuntimeFacts {
    private static final String CLOCKSOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    private static final String[] OPTIONS = """
        TieredCompilation UseBiasedLocking BiasedLockingStartupDelay LockingMode UseObjectMonitorTable \
        EliminateLocks UseBimorphicInlining TypeProfileMajorReceiverPercent CompileThreshold LoopUnrollLimit \
        MaxInlineLevel UseSerialGC UseG1GC UseParallelGC UseZGC UseShenandoahGC ShenandoahGCMode \
        ShenandoahPacing UseEpsilonGC MaxHeapSize ParallelGCThreads ConcGCThreads TimerSlack\
        """.split(" ");

    private RuntimeFacts() {}

    static Map<String, Object> read() {
        return Json.object(
                "name", System.getProperty("java.vm.name"),
                "version", System.getProperty("java.runtime.version"),
                "vendor", System.getProperty("java.vendor"),
                "flags", ManagementFactory.getRuntimeMXBean().getInputArguments(),
                "options", options(),
                "clocksource", clocksource());
    }

    /** What the kernel makes its clocks of now; it may change to another while it runs. */
    private static String clocksource() {
        try {
            return Files.readString(Path.of(CLOCKSOURCE)).trim();
        } catch (IOException e) {
            return "unknown";
        }
    }

    /** Option to effective value; an option this virtual machine lacks is absent. */
    private static Map<String, Object> options() {
        HotSpotDiagnosticMXBean machine = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        Map<String, Object> options = new LinkedHashMap<>();
        for (String option : OPTIONS) {
            try {
                options.put(option, machine.getVMOption(option).getValue());
            } catch (IllegalArgumentException absent) {
                continue;
            }
        }
        return options;
    }
}
