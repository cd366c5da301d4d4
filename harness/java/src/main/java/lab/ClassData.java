package lab;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import lab.experiments.Registry;

/**
 * Loads every class of the harness, and by one short trial those of the JDK that a trial needs, for a virtual machine
 * that archives at its exit what it has loaded: trials that map the archive need not parse and verify them again.
 * {@code java -XX:ArchiveClassesAtExit=FILE -cp lab-harness.jar lab.ClassData}; it prints nothing and ends with 0.
 */
final class ClassData {
    private static final String OURS = "lab/";
    private static final String SUFFIX = ".class";
    private static final String TRIAL =
            "atomic_increment --variant get_and_add --threads 2 --warmup 1 --iterations 1 --iteration-ms 1 --out ";

    private ClassData() {}

    public static void main(String[] args) throws IOException, ClassNotFoundException {
        try (JarFile jar = new JarFile(System.getProperty("java.class.path"))) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                String name = entry.getName();
                if (name.startsWith(OURS) && name.endsWith(SUFFIX)) {
                    load(name.substring(0, name.length() - SUFFIX.length()).replace('/', '.'));
                }
            }
        }
        System.exit(rehearse());
    }

    /** Without its initialiser; one that this JDK lacks something for is not loaded in its trials either. */
    private static void load(String name) throws ClassNotFoundException {
        try {
            Class.forName(name, false, ClassData.class.getClassLoader());
        } catch (LinkageError lacking) {
            return;
        }
    }

    private static int rehearse() throws IOException {
        Path folder = Files.createTempDirectory("lab-class-data");
        Path log = folder.resolve("t.hlog");
        String[] trial = (TRIAL + log).split(" ");
        try {
            PrintStream nowhere = new PrintStream(PrintStream.nullOutputStream());
            return Main.run(trial, Registry.EXPERIMENTS, Compilations.ofThisProcess(), nowhere, System.err);
        } finally {
            Files.deleteIfExists(log);
            Files.delete(folder);
        }
    }
}
