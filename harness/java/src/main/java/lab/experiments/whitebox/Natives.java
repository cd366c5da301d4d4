package lab.experiments.whitebox;

import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import jdk.test.whitebox.WhiteBox;

/** How much of what {@link WhiteBox} declares is bound: every method is called once. */
final class Natives {
    /** Methods that the class declares for others to call. */
    int declared;
    /** Those of them that the virtual machine has. */
    int bound;

    Natives(WhiteBox box) {
        for (Method method : WhiteBox.class.getDeclaredMethods()) {
            if (Modifier.isNative(method.getModifiers()) && Modifier.isPublic(method.getModifiers())) {
                declared++;
                bound += isBound(box, method) ? 1 : 0;
            }
        }
    }

    private static boolean isBound(WhiteBox box, Method method) {
        // No flag has that name, and the number is a tier.
        // spotless:off
        Map<Class<?>, Object> values = Map.of(
                Object.class, new Object(),
                Executable.class, Site.methods(1)[0],
                String.class, "NoSuchFlag",
                int.class, 1,
                long.class, 0L,
                boolean.class, false);
        // spotless:on
        Object[] arguments = new Object[method.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = values.get(method.getParameterTypes()[i]);
        }
        if (method.getName().equals("enqueueMethodForCompilation0")) {
            arguments[2] = Tiers.WHOLE;
        }
        try {
            method.invoke(box, arguments);
            return true;
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof UnsatisfiedLinkError) {
                return false;
            }
            throw new IllegalStateException(method + " refuses its arguments", e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(method + " is public", e);
        }
    }
}
