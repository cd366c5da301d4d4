/* What comes of an iteration in which another part has compiled something. */
#include "settling.h"
#include "test.h"

#include <stddef.h>

enum { MS = 1000000 };

static struct phase phases[6];
static struct settling settling;

static void set_up(void) {
    phases[0] = (struct phase){"warmup", 2, 20 * MS};
    phases[1] = (struct phase){"floor_warmup", 1, 100 * MS};
    phases[2] = (struct phase){"floor", 1, 3 * MS};
    phases[3] = (struct phase){"measured", 3, 20 * MS};
    phases[4] = (struct phase){0};
    settling_init(&settling, phases);
}

static void without_compilations_nothing_is_added(void) {
    set_up();
    for (int i = 0; i < 7; i++) {
        CHECK(!settling_ended(&settling, i, false));
    }
    CHECK(phase_of(phases, 7) == NULL);
}

static void a_warm_up_goes_on_until_nothing_is_compiled(void) {
    set_up();
    const int compiled[] = {1, 3};
    for (int i = 0; strcmp(phase_of(phases, i)->name, "warmup") == 0; i++) {
        CHECK(!settling_ended(&settling, i, i == compiled[0] || i == compiled[1]));
    }
    /* The last in #3, then 60 ms. */
    CHECK_EQUAL(7, phases[0].iterations);
}

static void a_warm_up_ends_somewhere(void) {
    set_up();
    int i = 0;
    for (; strcmp(phase_of(phases, i)->name, "warmup") == 0; i++) {
        settling_ended(&settling, i, true);
    }
    CHECK_EQUAL(2 + 12, phases[0].iterations); /* 240 ms */
    settling_ended(&settling, i, true);
    CHECK_EQUAL(1, phases[1].iterations);
}

static void an_iteration_is_made_again_as_often_as_there_are(void) {
    set_up();
    CHECK(settling_ended(&settling, 3, true));
    CHECK_EQUAL(2, phases[2].iterations);
    CHECK(!settling_ended(&settling, 4, false));
    for (int i = 5; i < 8; i++) {
        CHECK(settling_ended(&settling, i, true));
    }
    CHECK_EQUAL(6, phases[3].iterations);
    CHECK(!settling_ended(&settling, 8, true));
    CHECK_EQUAL(6, phases[3].iterations);
}

static void usual_phases_know_of_it(void) {
    const struct trial trial = {.warmup = 2, .iterations = 3, .iteration_ns = 20 * MS};
    CHECK_TEXT("measured", iteration_phase(&trial, 2));
    struct phase *usual = phases_usual(&trial);
    settling_init(&settling, usual);
    settling_ended(&settling, 1, true);
    CHECK_TEXT("warmup", iteration_phase(&trial, 2));
    CHECK_TEXT("measured", iteration_phase(&trial, 3));
}

int main(void) {
    without_compilations_nothing_is_added();
    a_warm_up_goes_on_until_nothing_is_compiled();
    a_warm_up_ends_somewhere();
    an_iteration_is_made_again_as_often_as_there_are();
    usual_phases_know_of_it();
    TEST_END();
}
