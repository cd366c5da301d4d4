package lab;

import java.util.LinkedHashMap;
import java.util.Map;

/** The parameters of a trial as understood: every declared one has a value, given or default. */
public final class Parameters {
    /** Name to value (Long, String or int[]), in the order of declaration. */
    final Map<String, Object> values = new LinkedHashMap<>();

    /** Sets a value as understood: an experiment calls it where a variant cannot take the value as given. */
    public void put(String name, Object value) {
        values.put(name, value);
    }

    /** The value of an int parameter. */
    public int getInt(String name) {
        return Math.toIntExact(getLong(name));
    }

    /** The value of an int or long parameter. */
    public long getLong(String name) {
        return (Long) get(name);
    }

    /** The value of a choice or string parameter. */
    public String getString(String name) {
        return (String) get(name);
    }

    /** The value of an int parameter; a {@link Failure} of status 2 if it is no power of two. */
    public int getPowerOfTwo(String name) {
        int value = getInt(name);
        if (Integer.bitCount(value) != 1) {
            throw refused(name, "must be a power of two");
        }
        return value;
    }

    /** A {@link Failure} of status 2: the parameter cannot have its value; {@code accepted} says what it can. */
    public Failure refused(String name, String accepted) {
        return Failure.argument("--" + name, get(name).toString(), accepted);
    }

    private Object get(String name) {
        Object value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("parameter not declared: " + name);
        }
        return value;
    }
}
