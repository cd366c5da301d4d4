/* The ring file: its bytes, a queue's behaviour, and what is refused. */
#include "experiments/ipc/end.h"
#include "ring_file.h"
#include "ring_messages.h"
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int64_t word_at(const uint8_t *bytes, int64_t at) {
    int64_t word;
    memcpy(&word, bytes + at, sizeof word);
    return word;
}

/* The file as docs/formats.md has it, of the message "abc" and one that makes padding. */
static void test_bytes(void) {
    struct ring ring;
    fresh(&ring, 4096);
    const uint8_t *file = (const uint8_t *)ring.header;
    CHECK(memcmp(file, "LABRING1\1\0\0\0\0\x10\0\0", 16) == 0);
    CHECK_EQUAL(4096, word_at(file, 16));
    CHECK_EQUAL(8192, word_at(file, 24));
    CHECK_EQUAL(0, ring_produce(&ring, path));
    memcpy(ring_claim(&ring, 3), "abc", 3);
    ring_commit(&ring);
    CHECK(memcmp(file + 4096, "\3\0\0\0abc\0\0\0\0\0", 12) == 0);
    CHECK_EQUAL(8, word_at(file, 128));
    CHECK_EQUAL(0, word_at(file, 256));
    CHECK_EQUAL(504, ring.most);
    CHECK_EQUAL(512, ring_record(504));
    ring_close(&ring);
    struct stat is;
    CHECK(stat(path, &is) == 0 && is.st_size == 8192);
    struct ring again;
    CHECK_EQUAL(STATUS_NO_RESOURCES, ring_create(&again, path, 4096));
    CHECK(strstr(failure(), "cannot be made: File exists"));
}

/* Offers and polls in any order, until there is no room and until there is nothing, through many laps: what comes is
 * what went, and a full ring is full for the reason the format gives. */
static void test_queue(int64_t capacity, int32_t most, int64_t steps) {
    struct ring producer, consumer;
    const struct messages messages = {.seed = 42, .most = most};
    uint64_t random = 7;
    int64_t sent = 0;
    int64_t taken = 0;
    int64_t full = 0;
    int64_t empty = 0;
    int64_t wrong = 0;
    open_both(&producer, &consumer, capacity);
    for (int64_t step = 0; step < steps; step++) {
        const int count = (int)(test_random(&random) % 100);
        const bool offers = test_random(&random) % 2 == 0;
        const int64_t sent_before = sent;
        const int64_t position_before = producer.position;
        for (int i = 0; i < count; i++) {
            if (offers) {
                const int64_t before = producer.position;
                if (messages_offer(&messages, &producer, sent)) {
                    sent++;
                    continue;
                }
                const int64_t record = ring_record(messages_length(&messages, sent));
                const int64_t rest = capacity - (before & (capacity - 1));
                const int64_t need = record + 8 + (record > rest ? rest : 0);
                full++;
                wrong += capacity - (before - consumer.header->head) >= need;
                wrong += producer.position != before;
                break;
            }
            const uint8_t *payload = ring_poll(&consumer);
            if (!payload) {
                empty++;
                wrong += taken != sent || consumer.header->tail != consumer.header->head;
                break;
            }
            wrong += !messages_equal(&messages, &consumer, payload, taken++);
            ring_release(&consumer);
            wrong += ring_waiting(&consumer) != producer.position - consumer.position;
        }
        wrong += producer.header->tail != producer.position;
        wrong += messages_after(&messages, &producer, sent_before, position_before, producer.position) != sent;
    }
    CHECK_EQUAL(0, wrong);
    CHECK_EQUAL(sent, messages_at(&messages, &producer, producer.position));
    CHECK(full > 10 && empty > 10 && taken > 1000 && producer.position > 3 * capacity);
    close_both(&producer, &consumer);
}

static void put(int64_t at, const void *bytes, size_t count) {
    FILE *file = fopen(path, "r+");
    CHECK(file && fseek(file, at, SEEK_SET) == 0 && fwrite(bytes, 1, count, file) == count);
    CHECK(file && fclose(file) == 0);
}

static void put_word(int64_t at, int64_t word) {
    put(at, &word, sizeof word);
}

/* Refused with that line after the file's name, and unchanged. */
static void refused(const char *cause) {
    struct ring ring;
    struct stat before, after;
    CHECK(stat(path, &before) == 0);
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, ring_attach(&ring, path));
    char expected[256];
    snprintf(expected, sizeof expected, "--ring %s: %s", path, cause);
    CHECK_TEXT(expected, failure());
    CHECK(ring.file == -1 && !ring.header);
    CHECK(stat(path, &after) == 0 && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
}

static void new_file(int64_t capacity) {
    struct ring ring;
    fresh(&ring, capacity);
    ring_close(&ring);
}

static void test_refused(void) {
    const struct {
        int64_t at, word;
        const char *cause;
    } headers[] = {
        {0, 0, "not a ring of this format (magic 0x0000000000000000)"},
        {0, INT64_C(0x313245454d42414c), "not a ring of this format (magic 0x313245454d42414c)"},
        {8, INT64_C(0x100000000007), "version 7, this program knows 1"},
        {8, INT64_C(0x200000000001), "a header of 8192 bytes, version 1 has 4096"},
        {16, 1000, "capacity 1000 is not a power of two"},
        {16, 0, "capacity 0 is not a power of two"},
        {16, 2048, "capacity 2048 is not from 4096 to 1073741824"},
        {16, INT64_C(1) << 31, "capacity 2147483648 is not from 4096 to 1073741824"},
        {16, 8192, "capacity 8192 and a length of 1,052,672: they do not agree"},
        {24, 4096, "capacity 1048576 and a length of 4,096: they do not agree"},
        {256, 128, "head 128 is beyond tail 0"},
        {256, -8,
         "head -8 and tail 0, where no record can begin: give a ring that nothing else "
         "wrote to"},
        {128, 70,
         "head 0 and tail 70, where no record can begin: give a ring that nothing else "
         "wrote to"},
        {128, 1 << 21, "tail 2097152 is further from head 0 than its capacity"},
    };
    for (size_t i = 0; i < N(headers); i++) {
        new_file(1 << 20);
        put_word(headers[i].at, headers[i].word);
        refused(headers[i].cause);
    }
    new_file(1 << 20);
    put_word(128, 64);
    put_word(256, 128);
    refused("head 128 is beyond tail 64");
    put_word(256, 0);
    CHECK_EQUAL(0, truncate(path, 4096));
    refused("4,096 bytes long, its header says 1,052,672: truncated");
    CHECK_EQUAL(0, truncate(path, 1052673));
    refused("1,052,673 bytes long, its header says 1,052,672: grown");
    CHECK_EQUAL(0, truncate(path, 100));
    refused("not a ring of this format: 100 bytes long, its header alone has 4,096");
    CHECK_EQUAL(0, truncate(path, 0));
    refused("not a ring of this format: 0 bytes long, its header alone has 4,096");
    unlink(path);
    struct ring ring;
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, ring_attach(&ring, path));
    CHECK(strstr(failure(), ": cannot be opened: No such file or directory"));
    CHECK_EQUAL(STATUS_BAD_ARGUMENT, ring_attach(&ring, "/tmp"));
    CHECK_TEXT("--ring /tmp: cannot be opened: Is a directory", failure());
}

/* A full ring has room again once a quarter is free, for any message wherever it is; the wait for it looks after pauses
 * that double, and offers the CPU where both ends share one. */
static void test_full(void) {
    struct ring producer, consumer;
    for (int taken = 0; taken < 4; taken++) {
        open_both(&producer, &consumer, 4096);
        for (int n = 0; n < taken; n++) { /* begins elsewhere: no room at the end without padding */
            CHECK(ring_claim(&producer, 100));
            ring_commit(&producer);
            CHECK(ring_poll(&consumer));
            ring_release(&consumer);
        }
        while (ring_claim(&producer, 100)) {
            ring_commit(&producer);
        }
        CHECK(!ring_roomy(&producer));
        for (int64_t freed = 0; freed < 1024; freed += ring_record(100)) {
            CHECK(ring_poll(&consumer));
            ring_release(&consumer);
        }
        CHECK(ring_roomy(&producer));
        CHECK(ring_claim(&producer, producer.most));
        close_both(&producer, &consumer);
    }
}

static void test_pauses(void) {
    const struct end end = {.meeting = meeting_of_process(), .shares_cpu = true};
    const struct worker worker = {.deadline_ns = clock_ns()};
    int left = end_patience(&end);
    int pauses = 1;
    for (int look = 1; look < 15; look++) {
        end_rest(&end, &worker, &left, &pauses);
        CHECK_EQUAL(look < 10 ? 1 << look : 1024, pauses);
        CHECK(left > 0 && left <= end_patience(&end));
    }
}

int main(void) {
    close(mkstemp(path));
    test_bytes();
    test_full();
    test_pauses();
    test_queue(4096, 504, 20000);
    test_queue(4096, 60, 20000);
    test_queue(4096, 7, 20000);
    test_queue(16384, 1020, 5000);
    test_refused();
    unlink(path);
    TEST_END();
}
