package lab;

import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.VarHandle;

/** Access to fields beyond what their declaration says, for a constant of the class that uses it. */
public final class VarHandles {
    private VarHandles() {}

    /** @param lookup of a class that may see the field */
    public static VarHandle field(Lookup lookup, Class<?> holder, String name, Class<?> type) {
        try {
            return lookup.findVarHandle(holder, name, type);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(holder + " has no field " + name, e);
        }
    }
}
