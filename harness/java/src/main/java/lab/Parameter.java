package lab;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A declared parameter: its type, limits and default. Limits are inclusive; a null default means required. */
public final class Parameter {
    private enum Type {
        INT,
        LONG,
        CHOICE,
        STRING
    }

    private final String name;
    private final Type type;
    private final long min;
    private final long max;
    private final List<String> choices;
    /** The default, a Long or a String, or null where the parameter must be given. */
    final Object fallback;

    private Parameter(String name, Type type, long min, long max, List<String> choices, Object fallback) {
        this.name = name;
        this.type = type;
        this.min = min;
        this.max = max;
        this.choices = choices;
        this.fallback = fallback;
    }

    /** A 32-bit integer in min..max. */
    public static Parameter ofInt(String name, int min, int max, int fallback) {
        return new Parameter(name, Type.INT, min, max, List.of(), (long) fallback);
    }

    /** A 32-bit integer in min..max that must be given. */
    static Parameter requiredInt(String name, int min, int max) {
        return new Parameter(name, Type.INT, min, max, List.of(), null);
    }

    /** A 64-bit integer in min..max. */
    public static Parameter ofLong(String name, long min, long max, long fallback) {
        return new Parameter(name, Type.LONG, min, max, List.of(), fallback);
    }

    /** One of a list of words; the first is the default. */
    public static Parameter choice(String name, String... choices) {
        return new Parameter(name, Type.CHOICE, 0, 0, List.of(choices), choices[0]);
    }

    /** Any text. */
    public static Parameter string(String name, String fallback) {
        return new Parameter(name, Type.STRING, 0, 0, List.of(), fallback);
    }

    public String name() {
        return name;
    }

    /** The value the text stands for, a Long or a String; a {@link Failure} of status 2 if it is not accepted. */
    Object parse(String text) {
        switch (type) {
            case STRING:
                return text;
            case CHOICE:
                if (!choices.contains(text)) {
                    throw reject(text, "must be one of " + String.join(", ", choices));
                }
                return text;
            default:
                long value;
                try {
                    value = Long.parseLong(text);
                } catch (NumberFormatException e) {
                    throw reject(text, "must be a whole number from " + min + " to " + max);
                }
                if (value < min || value > max) {
                    throw reject(text, "must be from " + min + " to " + max);
                }
                return value;
        }
    }

    private Failure reject(String text, String accepted) {
        return Failure.argument("--" + name, text, accepted);
    }

    /** The declaration as {@code --list} prints it. */
    Map<String, Object> describe() {
        String kind = type.name().toLowerCase(Locale.ROOT);
        return switch (type) {
            case INT, LONG -> Json.object("name", name, "type", kind, "min", min, "max", max, "default", fallback);
            case CHOICE -> Json.object("name", name, "type", kind, "choices", choices, "default", fallback);
            case STRING -> Json.object("name", name, "type", kind, "default", fallback);
        };
    }
}
