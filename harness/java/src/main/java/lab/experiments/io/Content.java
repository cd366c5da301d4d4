package lab.experiments.io;

/** What a file holds: every byte is the low byte of its position. All blocks, multiples of 256 bytes, are equal. */
final class Content {
    private static final int PERIOD = 256;
    /** 0 + 1 + ... + 255. */
    private static final long SUM_OF_PERIOD = 32_640;

    private Content() {}

    /** A block of the file. */
    static byte[] block(int size) {
        byte[] block = new byte[size];
        for (int i = 0; i < size; i++) {
            block[i] = (byte) i;
        }
        return block;
    }

    /** The bytes added up, each as 0..255. */
    static long sum(byte[] bytes, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += bytes[i] & 0xff;
        }
        return sum;
    }

    /** What the bytes of a whole file add up to. */
    static long expectedSum(long fileSize) {
        return fileSize / PERIOD * SUM_OF_PERIOD;
    }
}
