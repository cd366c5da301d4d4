package lab.experiments.dispatch;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * Writes the class file of an operation, as the compiler would from
 * {@code int map(int v, int a, int b) { return (v ^ (MASK + a + b)) * MULTIPLIER; }} and a constructor without
 * arguments, or of an interface that declares such a method. Written out here because the experiment needs classes
 * that differ only in the number and order of their interfaces, in the depth of their hierarchy, or in the number of
 * arguments. Layout: The Java Virtual Machine Specification, chapter 4.
 */
final class ClassFile {
    private static final int MAGIC = 0xCAFEBABE;
    private static final int JAVA_17 = 61;
    private static final int PUBLIC_CLASS = 0x21;
    private static final int PUBLIC_INTERFACE = 0x601;
    private static final int PUBLIC = 1;
    private static final int PUBLIC_ABSTRACT = 0x401;
    private static final int UTF8 = 1;
    private static final int INTEGER = 3;
    private static final int CLASS = 7;
    private static final int METHOD = 10;
    private static final int NAME_AND_TYPE = 12;
    private static final int ALOAD_0 = 0x2A;
    private static final int ILOAD = 0x15;
    private static final int LDC_W = 0x13;
    private static final int IADD = 0x60;
    private static final int IMUL = 0x68;
    private static final int IXOR = 0x82;
    private static final int IRETURN = 0xAC;
    private static final int RETURN = 0xB1;
    private static final int INVOKESPECIAL = 0xB7;

    private final ByteArrayOutputStream poolBytes = new ByteArrayOutputStream();
    private final DataOutputStream pool = new DataOutputStream(poolBytes);
    private final ByteArrayOutputStream bodyBytes = new ByteArrayOutputStream();
    private final DataOutputStream body = new DataOutputStream(bodyBytes);
    private int constants;

    private ClassFile() {}

    /** A class whose {@code map} takes {@code arguments} more ints; names are internal, as {@code lab/Main}. */
    static byte[] ofClass(
            String name, String parent, List<String> interfaces, int arguments, int mask, int multiplier) {
        try {
            ClassFile file = new ClassFile();
            file.head(PUBLIC_CLASS, name, parent, interfaces, 2);
            file.constructor(parent);
            file.map(arguments, mask, multiplier);
            return file.bytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An interface that declares {@code int map(int)}. */
    static byte[] ofInterface(String name) {
        try {
            ClassFile file = new ClassFile();
            file.head(PUBLIC_INTERFACE, name, "java/lang/Object", List.of(), 1);
            file.method(PUBLIC_ABSTRACT, "map", descriptor(0), 0);
            return file.bytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String descriptor(int arguments) {
        return "(I" + "I".repeat(arguments) + ")I";
    }

    private void head(int access, String name, String parent, List<String> interfaces, int methods) throws IOException {
        shorts(access, type(name), type(parent), interfaces.size());
        for (String each : interfaces) {
            shorts(type(each));
        }
        int fields = 0;
        shorts(fields, methods);
    }

    private void method(int access, String name, String descriptor, int attributes) throws IOException {
        shorts(access, utf8(name), utf8(descriptor), attributes);
    }

    private void constructor(String parent) throws IOException {
        ByteArrayOutputStream code = new ByteArrayOutputStream();
        code.write(ALOAD_0);
        withIndex(code, INVOKESPECIAL, superConstructor(parent));
        code.write(RETURN);
        method(PUBLIC, "<init>", "()V", 1);
        code(1, 1, code);
    }

    private void map(int arguments, int mask, int multiplier) throws IOException {
        ByteArrayOutputStream code = new ByteArrayOutputStream();
        load(code, 1);
        // The extra arguments are summed apart from the value: they do not lengthen the chain from one call's value
        // to the next, which would be the price of adding, not of passing.
        withIndex(code, LDC_W, integer(mask));
        for (int i = 0; i < arguments; i++) {
            load(code, 2 + i);
            code.write(IADD);
        }
        code.write(IXOR);
        withIndex(code, LDC_W, integer(multiplier));
        code.write(IMUL);
        code.write(IRETURN);
        method(PUBLIC, "map", descriptor(arguments), 1);
        code(3, 2 + arguments, code);
    }

    private static void load(ByteArrayOutputStream code, int local) {
        code.write(ILOAD);
        code.write(local);
    }

    private static void withIndex(ByteArrayOutputStream code, int instruction, int index) {
        code.write(instruction);
        code.write(index >> 8);
        code.write(index);
    }

    private void code(int stack, int locals, ByteArrayOutputStream code) throws IOException {
        int header = 12;
        shorts(utf8("Code"));
        body.writeInt(header + code.size());
        shorts(stack, locals);
        body.writeInt(code.size());
        code.writeTo(body);
        int handlers = 0;
        int attributes = 0;
        shorts(handlers, attributes);
    }

    private byte[] bytes() throws IOException {
        int attributes = 0;
        shorts(attributes);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream file = new DataOutputStream(bytes);
        file.writeInt(MAGIC);
        file.writeInt(JAVA_17);
        file.writeShort(constants + 1);
        poolBytes.writeTo(file);
        bodyBytes.writeTo(file);
        return bytes.toByteArray();
    }

    private void shorts(int... values) throws IOException {
        for (int value : values) {
            body.writeShort(value);
        }
    }

    private int utf8(String text) throws IOException {
        pool.writeByte(UTF8);
        pool.writeUTF(text);
        return ++constants;
    }

    private int integer(int value) throws IOException {
        pool.writeByte(INTEGER);
        pool.writeInt(value);
        return ++constants;
    }

    private int type(String name) throws IOException {
        return reference(CLASS, utf8(name));
    }

    private int superConstructor(String parent) throws IOException {
        int holder = type(parent);
        int name = utf8("<init>");
        return reference(METHOD, holder, reference(NAME_AND_TYPE, name, utf8("()V")));
    }

    private int reference(int tag, int... indexes) throws IOException {
        pool.writeByte(tag);
        for (int index : indexes) {
            pool.writeShort(index);
        }
        return ++constants;
    }
}
