package lab.experiments.io;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.List;
import lab.Experiment;
import lab.Parameter;
import lab.Parameters;
import lab.Trial;

/** sequential_io by a way that does its work and then something wrong: {@code changed}, {@code lost} or {@code cut}. */
final class WrongIo implements Experiment {
    @Override
    public String name() {
        return "wrong_io";
    }

    @Override
    public List<Variant> variants() {
        return List.of(Variant.of("changed"), Variant.of("lost"), Variant.of("cut"));
    }

    @Override
    public List<Parameter> parameters() {
        return new SequentialIo().parameters();
    }

    @Override
    public void run(Trial trial) {
        int blocks = (int)
                (trial.parameters().getLong("file-size") / trial.parameters().getInt("block-size"));
        Passes.measure(trial, blocks, WrongWay::new);
    }

    /** Does what is right first. */
    private static final class WrongWay extends Way {
        private final String fault;
        private final String path;
        private final Way right;

        WrongWay(String fault, Parameters parameters, String path) {
            super(parameters.getInt("block-size"), parameters.getString("fill").equals("bytes"));
            this.fault = fault;
            this.path = path;
            right = Way.of("random_access_file", parameters, path);
        }

        @Override
        long write(Stretch stretch) throws IOException {
            long sum = right.write(stretch);
            try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
                switch (fault) {
                    case "changed" -> {
                        file.seek(file.length() - 1);
                        file.write(0);
                    }
                    case "lost" -> file.write(new byte[block.length]);
                    default -> file.setLength(file.length() + 1);
                }
            }
            return sum;
        }

        @Override
        long read(Stretch stretch) throws IOException {
            return right.read(stretch);
        }
    }
}
