/* The page where parts meet: what is refused as one, and the words of a trial of one process. */
#include "clock.h"
#include "meeting.h"
#include "meeting_page.h"
#include "status.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static void test_refused(void) {
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, meeting_join("p", NULL));
    CHECK_TEXT("--meet p: give --part I/N with it", failure());
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, meeting_join(NULL, "0/2"));
    CHECK_TEXT("--part 0/2: give --meet FILE with it", failure());
    const char *const parts[] = {"0/1",  "2/2",  "3/2",  "-1/2", "0/65", "0/0",  "",     "0",     "a/b",
                                 "0/2x", " 0/2", "0/ 2", "00/2", "+0/2", "0//2", "0/2/", "0/200", "1/"};
    for (size_t i = 0; i < N(parts); i++) {
        CHECK_EQUAL(STATUS_BAD_ARGUMENT, meeting_join(page, parts[i]));
        char expected[256];
        snprintf(expected, sizeof expected, "--part %s: give I/N, part I of N, with I from 0 to N-1 and N from 2 to 64",
                 parts[i]);
        CHECK_TEXT(expected, failure());
    }
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, meeting_join("/tmp/lab_no_such_page", "0/2"));
    CHECK_TEXT("--meet /tmp/lab_no_such_page: there is no such file", failure());
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, meeting_join("/tmp", "0/2"));
    CHECK(strstr(failure(), "--meet /tmp: not a meeting page: it must be a file of 4096 bytes"));
    const off_t lengths[] = {0, 8, MEETING_BYTES - 1, MEETING_BYTES + 1};
    for (size_t i = 0; i < N(lengths); i++) {
        write_page("", lengths[i]);
        CHECK_EQUAL(STATUS_BAD_ARGUMENT, meeting_join(page, "0/2"));
        CHECK(strstr(failure(), ": not a meeting page: it must be a file of 4096 bytes"));
    }
    write_page("LABRING1", MEETING_BYTES);
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, meeting_join(page, "0/2"));
    CHECK(strstr(failure(), ": not a meeting page: it begins with 0x"));
}

/* A trial of one process: nobody to wait for, and words all the same. */
static void test_alone(void) {
    const struct meeting *meeting = meeting_of_process();
    CHECK_EQUAL(0, meeting_join(NULL, NULL));
    CHECK_EQUAL(0, meeting->part);
    CHECK_EQUAL(1, meeting->parts);
    CHECK_EQUAL(384, (char *)&meeting->page->compiled - (char *)meeting->page);
    CHECK_EQUAL(388, (char *)&meeting->page->fixed - (char *)meeting->page);
    meeting_meet(0);
    meeting_end_if_hopeless(clock_ns());
    for (int word = 0; word < MEETING_WORDS; word++) {
        CHECK_EQUAL(0, meeting_get_opaque(meeting, word));
        meeting_set_release(meeting, word, -word);
    }
    for (int word = 0; word < MEETING_WORDS; word++) {
        CHECK_EQUAL(-word, meeting_get_acquire(meeting, word));
        CHECK_EQUAL(512 + 128 * word, (char *)&meeting->page->word[word].value - (char *)meeting->page);
    }
}

int main(void) {
    close(mkstemp(page));
    test_refused();
    test_alone();
    unlink(page);
    TEST_END();
}
