package lab.experiments.sharing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;

/**
 * Defines a class of this package with @Contended in place of {@link Isolated}. The virtual machine knows the
 * annotation by its descriptor, a UTF-8 constant of the class file: replacing that constant is all it takes, for every
 * use refers to it by number (The Java Virtual Machine Specification, 4.4.7 and 4.7.16).
 */
final class ContendedClass {
    private static final String PLACEHOLDER = constant("Llab/experiments/sharing/Isolated;");
    private static final String CONTENDED = constant("Ljdk/internal/vm/annotation/Contended;");

    private ContendedClass() {}

    /** Must come before the first use of the class, which would load it as it is. */
    static void define(String simpleName) {
        try (InputStream file = ContendedClass.class.getResourceAsStream(simpleName + ".class")) {
            String plain = new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
            if (!plain.contains(PLACEHOLDER)) {
                throw new IllegalStateException(simpleName + " has no field to annotate");
            }
            byte[] annotated = plain.replace(PLACEHOLDER, CONTENDED).getBytes(StandardCharsets.ISO_8859_1);
            MethodHandles.lookup().defineClass(annotated);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("a lookup may define classes of its own package", e);
        }
    }

    /** A CONSTANT_Utf8_info, one character per byte: tag 1, length in two bytes, text. */
    private static String constant(String text) {
        return "\1" + (char) (text.length() >> 8) + (char) (text.length() & 0xff) + text;
    }
}
