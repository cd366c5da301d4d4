package lab.experiments.io;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import lab.Experiment;
import lab.Failure;
import lab.Native;
import lab.Parameter;
import lab.Parameters;
import lab.Trial;

/**
 * Which way to write and read a file in order is fastest? One operation is one block, its bytes produced or summed
 * included. The phases are the passes; the iterations of a trial are the slices of each direction of a pass.
 *
 * <p>Run, and expect the first slice of {@code pass1} to be slower than the rest, for its loop is not compiled yet:
 * <pre>
 * java -jar harness/java/target/lab-harness.jar sequential_io --variant file_channel --dir /tmp \
 *     --warmup 0 --iterations 50 --out /tmp/x.hlog
 * </pre>
 */
public final class SequentialIo implements Experiment {
    @Override
    public String name() {
        return "sequential_io";
    }

    @Override
    public List<Variant> variants() {
        return Variant.all(
                Passes::missing,
                "random_access_file",
                "buffered_stream",
                "file_channel",
                "file_channel_direct",
                "mapped",
                "segment",
                "cpu_loop");
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.string("dir", null),
                Parameter.ofLong("file-size", 512, 1L << 43, 64 << 20),
                Parameter.ofInt("block-size", 512, 1 << 20, 4096),
                Parameter.ofInt("passes", 1, 100, 5),
                Parameter.choice("preparation", "zeros", "fallocate", "extend", "reuse"),
                Parameter.choice("sync", "none", "fdatasync"),
                Parameter.choice("fill", "bytes", "once"));
    }

    @Override
    public void run(Trial trial) {
        int blocks = understand(trial);
        Passes.measure(trial, blocks);
    }

    /** Refuses what cannot be measured, sets the parameters as they are taken, and counts the blocks of a file. */
    private static int understand(Trial trial) {
        Parameters parameters = trial.parameters();
        int blockSize = parameters.getPowerOfTwo("block-size");
        if (parameters.getInt("warmup") != 0) {
            throw parameters.refused("warmup", "must be 0: pass1 is the warm-up and is kept");
        }
        long blocks = parameters.getLong("file-size") / blockSize;
        int slices = parameters.getInt("iterations");
        if (blocks < slices || blocks > Integer.MAX_VALUE - 8) {
            throw parameters.refused(
                    "file-size",
                    "must hold at least one block of " + blockSize + " bytes for each of the " + slices
                            + " iterations, and at most " + (Integer.MAX_VALUE - 8) + " blocks");
        }
        // Whole blocks only: every value stands for the same number of bytes.
        parameters.put("file-size", blocks * blockSize);
        if (trial.variant().equals("cpu_loop")) {
            refuse(parameters, "sync", "none");
            refuse(parameters, "fill", "bytes");
        } else {
            requireSpace(parameters, parameters.getLong("file-size") * trial.threads());
        }
        if (trial.variant().equals("buffered_stream")) {
            // Opening the stream truncates the file, so nothing prepared would be left.
            parameters.put("preparation", "extend");
        }
        if (parameters.getString("preparation").equals("fallocate")) {
            Native.require("--preparation fallocate");
        }
        return (int) blocks;
    }

    private static void refuse(Parameters parameters, String name, String only) {
        if (!parameters.getString(name).equals(only)) {
            throw parameters.refused(name, "must be " + only + " for cpu_loop, which has no file");
        }
    }

    private static void requireSpace(Parameters parameters, long bytes) {
        String dir = parameters.getString("dir");
        long free;
        try {
            Path folder = Path.of(dir);
            if (!Files.isDirectory(folder)) {
                throw parameters.refused("dir", "must be an existing directory");
            }
            FileStore store = Files.getFileStore(folder);
            free = store.getUsableSpace();
        } catch (InvalidPathException e) {
            throw parameters.refused("dir", "is not a file name");
        } catch (IOException e) {
            throw Failure.resource("--dir " + dir + ": free space is unknown: " + e.getMessage());
        }
        if (free < bytes) {
            throw Failure.resource("--dir " + dir + ": " + bytes + " bytes are needed and " + free
                    + " are free; name another directory, or lower --file-size or --threads");
        }
    }
}
