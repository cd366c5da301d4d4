package lab.experiments.io;

import java.io.IOException;
import lab.Parameters;

/**
 * A way of writing and reading a file in order, on one stream. Each has its two loops written out, down to the bytes:
 * a direction of a pass is one invocation, as in the posts, so that the passes show when and how the loop is compiled.
 * A shared loop, or a helper for a block, would be compiled within the first blocks. Nothing is allocated per block.
 */
abstract class Way {
    /** The bytes to move, where they are not produced one by one; else space for a block. */
    final byte[] block;
    /** Whether bytes are produced and summed one by one inside the timed stretch. */
    final boolean each;

    Way(int blockSize, boolean each) {
        this.each = each;
        block = Content.block(blockSize);
    }

    /** The way of a variant, for a file that is opened by this path. */
    static Way of(String variant, Parameters parameters, String path) {
        int blockSize = parameters.getInt("block-size");
        long fileSize = parameters.getLong("file-size");
        boolean each = parameters.getString("fill").equals("bytes");
        return switch (variant) {
            case "random_access_file" -> new RandomAccessFileWay(path, blockSize, each);
            case "buffered_stream" -> new BufferedStreamWay(path, blockSize, each);
            case "file_channel" -> new FileChannelWay(path, blockSize, each, false);
            case "file_channel_direct" -> new FileChannelWay(path, blockSize, each, true);
            case "mapped" -> new MappedWay(path, blockSize, each, fileSize);
            case "segment" -> new SegmentWay(path, blockSize, each, fileSize);
            case "cpu_loop" -> new CpuLoopWay(blockSize);
            default -> throw new IllegalArgumentException("no way for variant " + variant);
        };
    }

    /** Writes all blocks; the sum of all bytes, if they are produced one by one: the posts added them up on the way. */
    abstract long write(Stretch stretch) throws IOException;

    /** Reads all blocks; the sum of all bytes, if they are summed one by one. */
    abstract long read(Stretch stretch) throws IOException;
}
