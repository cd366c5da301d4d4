package lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Files that must not outlive the trial, however it ends: a shutdown hook removes them on SIGINT and SIGTERM too. */
public final class TemporaryFiles {
    private static final List<Path> FILES = new ArrayList<>();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread("temporary files") {
            @Override
            public void run() {
                for (Path file : remaining()) {
                    try {
                        remove(file);
                    } catch (IOException e) {
                        System.err.println("lab: cannot remove " + file + ": " + e.getMessage());
                    }
                }
            }
        });
    }

    private TemporaryFiles() {}

    private static synchronized List<Path> remaining() {
        return new ArrayList<>(FILES);
    }

    /** Registers a file that is about to be created. */
    public static synchronized void track(Path file) {
        FILES.add(file);
    }

    /** Forgets a file that has become permanent. */
    public static synchronized void keep(Path file) {
        FILES.remove(file);
    }

    /** Deletes the file, if it exists, and forgets it. */
    public static synchronized void remove(Path file) throws IOException {
        Files.deleteIfExists(file);
        FILES.remove(file);
    }
}
