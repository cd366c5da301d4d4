package lab.experiments.whitebox;

import jdk.test.whitebox.WhiteBox;
import lab.Failure;
import lab.Series;

/**
 * How many young collections an object lives through before it is in the old generation. Each is made on demand and
 * timed. Little else is alive, so that the space of the survivors never runs over, which would promote early.
 */
final class Ageing {
    private static final int BYTES = 64;
    /** Far more than the highest threshold, 15. */
    private static final int MOST = 64;

    private final WhiteBox box;
    private final Series series;
    private byte[] probe;
    /** The clock after the last collection. */
    long end;
    /** Objects that did not have their content any more, or were not old any more after another collection. */
    int wrong;

    Ageing(WhiteBox box, Series series) {
        this.box = box;
        this.series = series;
    }

    /** Young collections before a new object is old; status 4 if it never is. */
    int collections() {
        probe = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            probe[i] = (byte) i;
        }
        int collections = 0;
        end = System.nanoTime();
        while (!box.isObjectInOldGen0(probe)) {
            if (collections == MOST) {
                throw Failure.check("an object that is not old after " + MOST + " young collections");
            }
            long before = System.nanoTime();
            box.youngGC();
            end = System.nanoTime();
            series.add(end - before);
            collections++;
        }
        return collections;
    }

    /** Looks at the object again, after another young collection. */
    void look() {
        box.youngGC();
        boolean same = box.isObjectInOldGen0(probe);
        for (int i = 0; i < BYTES; i++) {
            same &= probe[i] == (byte) i;
        }
        wrong += same ? 0 : 1;
    }
}
