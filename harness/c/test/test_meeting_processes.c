/* Parts that meet, each a process, and what ends them: another's failure, its death, its absence. */
#include "clock.h"
#include "meeting.h"
#include "meeting_page.h"
#include "pin.h"
#include "status.h"
#include "test.h"
#include "workers.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 1000 };
static const int64_t LONG_NS = WORKERS_GRACE_NS;

/* What a part does once it has joined; it returns when it has passed. */
typedef void behaviour(int part, int parts);

/* A part as a process; `words` is where it says what ended it. */
static pid_t start(int part, int parts, behaviour *run, int words) {
    pid_t pid = fork();
    if (pid == 0) {
        char name[16];
        alarm(600);
        dup2(words, STDERR_FILENO);
        snprintf(name, sizeof name, "%d/%d", part, parts);
        int status = meeting_join(page, name);
        if (status == 0) {
            run(part, parts);
            meeting_passed();
        } else {
            fprintf(stderr, "%s\n", failure());
        }
        exit(status);
    }
    return pid;
}

static char said[512];

/* What the parts said until they ended, and the exit status or signal of one of them. */
static int listen_to(int words, int status) {
    ssize_t length = read(words, said, sizeof said - 1);
    said[length < 0 ? 0 : length] = 0;
    close(words);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* All parts, the last of which may do something else than the others; its status. */
static int run_parts(int parts, behaviour *other, behaviour *last) {
    int pipes[2];
    pid_t ids[8];
    int status = -1;
    write_page("", MEETING_BYTES);
    CHECK(pipe(pipes) == 0);
    for (int i = 0; i < parts; i++) {
        ids[i] = start(i, parts, i == parts - 1 ? last : other, pipes[1]);
    }
    close(pipes[1]);
    for (int i = 0; i < parts; i++) {
        CHECK(waitpid(ids[i], &status, 0) == ids[i]);
    }
    return listen_to(pipes[0], status);
}

/* More parts than CPUs wait for each other's time slices. */
static int64_t rounds(int parts) {
    return parts <= pin_distinct(NULL, 0) ? ROUNDS : ROUNDS / 50;
}

/* Nobody leaves a round before all are in it, nor is anyone more than one round ahead. */
static void meets(int part, int parts) {
    const struct meeting *meeting = meeting_of_process();
    for (int64_t round = 1; round <= rounds(parts); round++) {
        meeting_set_opaque(meeting, part, round);
        meeting_meet(LONG_NS);
        for (int other = 0; other < parts; other++) {
            int64_t seen = meeting_get_opaque(meeting, other);
            if (seen < round || seen > round + 1) {
                die(STATUS_CHECK_FAILED, "part %d in round %d, part %d in %d", part, (int)round, other, (int)seen);
            }
        }
    }
}

/* Word 0 to and fro: what was written before it is seen with it. */
static void ping_pong(int part, int parts) {
    const struct meeting *meeting = meeting_of_process();
    meeting_meet(LONG_NS);
    for (int64_t turn = part + 1; turn <= 2 * rounds(parts); turn += 2) {
        const int64_t deadline = clock_ns(); /* however long the turns take together */
        while (meeting_get_acquire(meeting, 0) != turn - 1) {
            sched_yield();
            meeting_end_if_hopeless(deadline);
        }
        if (meeting_get_opaque(meeting, MEETING_WORDS - 1) != 3 * (turn - 1)) {
            die(STATUS_CHECK_FAILED, "turn %d without its content", (int)turn);
        }
        meeting_set_opaque(meeting, MEETING_WORDS - 1, 3 * turn);
        meeting_set_release(meeting, 0, turn);
    }
}

static void comes_for_ever(int part, int parts) {
    (void)part;
    (void)parts;
    for (;;) {
        meeting_meet(LONG_NS);
    }
}

static void fails_after_a_round(int part, int parts) {
    (void)part;
    (void)parts;
    meeting_meet(LONG_NS);
    exit(STATUS_NO_RESOURCES);
}

static void is_killed_after_a_round(int part, int parts) {
    (void)part;
    (void)parts;
    meeting_meet(LONG_NS);
    raise(SIGKILL);
}

static void waits_for_a_word(int part, int parts) {
    (void)part;
    (void)parts;
    meeting_meet(LONG_NS);
    for (;;) {
        sched_yield();
        meeting_end_if_hopeless(clock_ns());
    }
}

static void waits_too_long_for_a_word(int part, int parts) {
    (void)part;
    (void)parts;
    meeting_end_if_hopeless(clock_ns());
    meeting_end_if_hopeless(clock_ns() - WORKERS_GRACE_NS - 1);
}

/* It says that it has joined, and outlives the test if nobody ends it. */
static void never_comes(int part, int parts) {
    (void)part;
    (void)parts;
    alarm(0);
    CHECK(write(STDERR_FILENO, "x", 1) == 1);
    sleep(300);
}

static void is_impatient(int part, int parts) {
    (void)part;
    (void)parts;
    meeting_meet(1);
}

static uint32_t broken_word(void) {
    uint32_t broken = 0;
    FILE *file = fopen(page, "r");
    CHECK(file && fseek(file, 256, SEEK_SET) == 0 && fread(&broken, sizeof broken, 1, file) == 1);
    fclose(file);
    return broken;
}

static void test_meeting(void) {
    for (int parts = 2; parts <= 5; parts += 3) {
        CHECK_EQUAL(0, run_parts(parts, meets, meets));
        CHECK_TEXT("", said);
        CHECK_EQUAL(0, broken_word());
    }
    CHECK_EQUAL(0, run_parts(2, ping_pong, ping_pong));
    CHECK_TEXT("", said);
}

static void test_failures_of_another_part(void) {
    behaviour *const failing[] = {fails_after_a_round, is_killed_after_a_round};
    behaviour *const waiting[] = {comes_for_ever, waits_for_a_word};
    for (size_t i = 0; i < N(failing); i++) {
        for (size_t k = 0; k < N(waiting); k++) {
            CHECK_EQUAL(STATUS_CHECK_FAILED, run_parts(2, failing[i], waiting[k]));
            CHECK_TEXT("lab-harness: another part failed\n", said);
            /* Who was killed could not say so. */
            CHECK_EQUAL(i == 0 ? 1 : 2, broken_word());
        }
    }
    CHECK_EQUAL(STATUS_CHECK_FAILED, run_parts(2, comes_for_ever, waits_too_long_for_a_word));
    CHECK(strstr(said, "nothing came from another part for 10 s past the end of the iteration"));
}

/* Status and words of a part beside part 0, which has joined and does not come. */
static int run_beside_one_that_waits(int part, behaviour *run) {
    int pipes[2];
    int status;
    char joined;
    write_page("", MEETING_BYTES);
    CHECK(pipe(pipes) == 0);
    pid_t absent = start(0, 2, never_comes, pipes[1]);
    CHECK(read(pipes[0], &joined, 1) == 1);
    pid_t other = start(part, 2, run, pipes[1]);
    CHECK(waitpid(other, &status, 0) == other);
    kill(absent, SIGKILL);
    waitpid(absent, NULL, 0);
    close(pipes[1]);
    return listen_to(pipes[0], status);
}

static void test_a_part_that_does_not_come(void) {
    CHECK_EQUAL(STATUS_CHECK_FAILED, run_beside_one_that_waits(1, is_impatient));
    CHECK_TEXT("lab-harness: the other parts did not come to the meeting in 1e-09 s\n", said);
}

static void test_one_number_for_two_processes(void) {
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, run_beside_one_that_waits(0, is_impatient));
    CHECK(strstr(said, "--part 0/2: another process is this part of "));
}

/* The process that started a part ends: so does the part. Its end of the pipe is the last. */
static void test_orphans(void) {
    int pipes[2];
    char byte;
    write_page("", MEETING_BYTES);
    CHECK(pipe(pipes) == 0);
    pid_t parent = fork();
    if (parent == 0) {
        start(0, 2, never_comes, pipes[1]);
        CHECK_EQUAL(1, read(pipes[0], &byte, 1));
        _exit(0);
    }
    close(pipes[1]);
    waitpid(parent, NULL, 0);
    CHECK_EQUAL(0, read(pipes[0], &byte, 1)); /* or never: then the alarm ends the test */
    close(pipes[0]);
}

int main(void) {
    alarm(1200);
    close(mkstemp(page));
    test_meeting();
    test_failures_of_another_part();
    test_a_part_that_does_not_come();
    test_one_number_for_two_processes();
    test_orphans();
    unlink(page);
    TEST_END();
}
