package lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a meeting have a page of their own to meet on. */
abstract class OnAPage {
    @TempDir
    Path folder;

    Path page;

    @BeforeEach
    void makePage() throws IOException {
        page = folder.resolve("page");
        Files.write(page, new byte[4096]);
    }
}
