/* What the kernel tells of a thread's waiting for a CPU, and what it does not. */
#include "run_delay.h"
#include "test.h"

static void test_text_of_the_kernel(void) {
    CHECK_EQUAL(145850, run_delay_parse("256517 145850 2\n"));
    CHECK_EQUAL(0, run_delay_parse("256517 0 1\n"));
    /* Beyond 32 bits: a thread that waited for two hours. */
    CHECK_EQUAL(INT64_C(7200000000000), run_delay_parse("1 7200000000000 9\n"));
}

/* A kernel without these statistics has no file, or writes zeros for a thread that runs. */
static void test_kernel_that_does_not_count(void) {
    const char *texts[] = {"0 0 0\n", "", "\n", "256517\n", "256517 145850\n", "ran waited 2\n"};
    for (size_t i = 0; i < N(texts); i++) {
        CHECK_EQUAL(-1, run_delay_parse(texts[i]));
    }
}

static void test_readings_follow_each_other(void) {
    struct run_delay before;
    struct run_delay after;
    const bool known = run_delay_read(&before);
    CHECK(run_delay_read(&after) == known);
    CHECK(known || (after.ran_ns == 0 && after.at_ns == 0));
    CHECK(!known || after.at_ns > before.at_ns);
    CHECK(after.ran_ns >= before.ran_ns && after.delay_ns >= before.delay_ns);
    /* The process has this thread alone, and its clock was read after the thread's. */
    CHECK(after.process_ns >= after.ran_ns);
}

int main(void) {
    test_text_of_the_kernel();
    test_kernel_that_does_not_count();
    test_readings_follow_each_other();
    TEST_END();
}
