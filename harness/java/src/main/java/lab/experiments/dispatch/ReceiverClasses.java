package lab.experiments.dispatch;

import java.util.ArrayList;
import java.util.List;

/**
 * Defines the receiver classes of one trial, and no others: what is not loaded cannot change how a call is compiled.
 * They come from a loader of their own, so that a process may run more than one trial.
 */
final class ReceiverClasses extends ClassLoader {
    /** Interfaces of every class of the {@code interfaces} variant. */
    static final int INTERFACES = 32;
    /** Enough to make a call site megamorphic: its profile holds two types. */
    static final int MEGAMORPHIC = 4;

    private static final String PACKAGE = "lab/experiments/dispatch/";

    private ReceiverClasses() {
        super(ReceiverClasses.class.getClassLoader());
    }

    /** Classes that implement {@link IntOperation} alone. */
    static List<Class<?>> plain(int classes) {
        return new ReceiverClasses().leaves(classes, "java/lang/Object", List.of(PACKAGE + "IntOperation"), 0);
    }

    /**
     * Four classes of 32 interfaces each, {@link IntOperation} at the given position (from 1) among them. HotSpot lays
     * out an itable in the order of the list, for interfaces without superinterfaces, and leaves out those without a
     * method; hence each of the others has one. A call searches the itable from its beginning.
     */
    static List<Class<?>> withInterfaces(int position) {
        ReceiverClasses loader = new ReceiverClasses();
        List<String> interfaces = loader.others(INTERFACES - 1);
        interfaces.add(position - 1, PACKAGE + "IntOperation");
        return loader.leaves(MEGAMORPHIC, "java/lang/Object", interfaces, 0);
    }

    /**
     * Four classes {@code depth} levels below {@link AbstractOperation}, every level of which overrides the method,
     * and with as many interfaces that declare it too.
     */
    static List<Class<?>> deep(int depth) {
        ReceiverClasses loader = new ReceiverClasses();
        String parent = PACKAGE + "AbstractOperation";
        for (int level = 1; level < depth; level++) {
            String name = PACKAGE + "Level" + level;
            loader.define(ClassFile.ofClass(name, parent, List.of(), 0, level, 1));
            parent = name;
        }
        return loader.leaves(MEGAMORPHIC, parent, loader.others(depth), 0);
    }

    /** Four classes whose method takes so many arguments besides the value. */
    static List<Class<?>> withArguments(int arguments) {
        List<String> interfaces = List.of(PACKAGE + "ArgumentKernels$With" + arguments);
        return new ReceiverClasses().leaves(MEGAMORPHIC, "java/lang/Object", interfaces, arguments);
    }

    private List<String> others(int count) {
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            String name = PACKAGE + "Other" + i;
            define(ClassFile.ofInterface(name));
            names.add(name);
        }
        return names;
    }

    private List<Class<?>> leaves(int classes, String parent, List<String> interfaces, int arguments) {
        List<Class<?>> defined = new ArrayList<>();
        for (int id = 0; id < classes; id++) {
            defined.add(define(ClassFile.ofClass(
                    PACKAGE + "Receiver" + id,
                    parent,
                    interfaces,
                    arguments,
                    Constants.mask(id),
                    Constants.multiplier(id))));
        }
        return defined;
    }

    private Class<?> define(byte[] bytes) {
        return defineClass(null, bytes, 0, bytes.length);
    }
}
