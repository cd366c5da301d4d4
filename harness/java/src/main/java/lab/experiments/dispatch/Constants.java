package lab.experiments.dispatch;

/**
 * What the receiver classes do: class k maps v to {@code (v ^ mask(k)) * multiplier(k)}. That is one to one, so values
 * do not settle; and no two steps can be folded into one, as the compiler folds a sum inside a product of constants.
 * No multiplier is a sum of two powers of two, which would be compiled to shifts: all classes cost the same.
 */
final class Constants {
    /** Class 0, as compile-time constants for the loop without a call. */
    static final int MASK = 1_013_904_223;

    static final int MULTIPLIER = 1_664_525;

    private static final int[] MASKS = {
        MASK, 907_633_385, 1_406_932_607, 1_442_695_041, 1_531_011_433, 1_284_865_837, 1_282_016_301, 1_891_336_453
    };
    private static final int[] MULTIPLIERS = {
        MULTIPLIER, 22_695_477, 1_103_515_245, 134_775_813, 214_013, 69_069, 1_140_671_485, 747_796_405
    };

    private Constants() {}

    static int mask(int id) {
        return MASKS[id];
    }

    static int multiplier(int id) {
        return MULTIPLIERS[id];
    }
}
