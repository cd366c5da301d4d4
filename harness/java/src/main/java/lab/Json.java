package lab;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Writes maps, iterables, int arrays, numbers, strings, booleans and null as JSON on one line. The text is pure ASCII,
 * so it does not depend on the character set of standard output.
 */
final class Json {
    private final StringBuilder text = new StringBuilder(1 << 14);

    private Json() {}

    static String write(Object value) {
        Json json = new Json();
        json.value(value);
        return json.text.toString();
    }

    /** An object of names, each followed by its value, in that order. */
    static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return object;
    }

    private void value(Object value) {
        if (value instanceof String) {
            string((String) value);
        } else if (value instanceof Double) {
            number((Double) value);
        } else if (value == null || value instanceof Boolean || value instanceof Long || value instanceof Integer) {
            text.append(value);
        } else if (value instanceof Map) {
            object((Map<?, ?>) value);
        } else if (value instanceof Iterable) {
            array(((Iterable<?>) value).iterator());
        } else if (value instanceof int[]) {
            array((int[]) value);
        } else {
            throw new IllegalArgumentException("no JSON for " + value.getClass());
        }
    }

    private void object(Map<?, ?> map) {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            text.append(separator);
            string((String) entry.getKey());
            text.append(": ");
            value(entry.getValue());
            separator = ", ";
        }
        text.append(map.isEmpty() ? "{}" : "}");
    }

    private void array(Iterator<?> values) {
        text.append('[');
        while (values.hasNext()) {
            value(values.next());
            if (values.hasNext()) {
                text.append(',');
            }
        }
        text.append(']');
    }

    private void array(int[] values) {
        text.append('[');
        for (int i = 0; i < values.length; i++) {
            text.append(i == 0 ? "" : ",").append(values[i]);
        }
        text.append(']');
    }

    private void number(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw new IllegalArgumentException("no JSON for " + value);
        }
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            text.append((long) value);
        } else {
            text.append(value);
        }
    }

    private void string(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                text.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    text.append(Character.forDigit(c >> shift & 0xf, 16));
                }
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
