package lab.load;

import java.util.Arrays;

/** What a consumer needs that handles no events of a load. */
public final class Unused {
    private Unused() {}

    public static Receipts[] receipts(int consumers) {
        Receipts[] receipts = new Receipts[consumers];
        Arrays.setAll(receipts, i -> new Receipts(1, false, false, new Load(0, 0, true, 1, 1, 0, false, 0), null));
        return receipts;
    }
}
