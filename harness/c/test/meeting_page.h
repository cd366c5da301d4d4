#pragma once

#include "test.h"

#include <stdlib.h>
#include <unistd.h>

/* The page of a test program: made and removed by its main(). */

static char page[] = "/tmp/lab_meeting_XXXXXX";

/* A page as the pipeline makes it, or the same file with other content or length. */
static inline void write_page(const char *begin, off_t bytes) {
    FILE *file = fopen(page, "w");
    CHECK(file && fwrite(begin, 1, strlen(begin), file) == strlen(begin));
    CHECK(file && fclose(file) == 0 && truncate(page, bytes) == 0);
}
