#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(offsetof(struct ring_header, tail) == 128, "as docs/formats.md says");
_Static_assert(offsetof(struct ring_header, head) == 256, "as docs/formats.md says");
_Static_assert(offsetof(struct ring_header, asleep) == 384, "as docs/formats.md says");
_Static_assert(sizeof(struct ring_header) <= RING_HEADER_BYTES, "all words fit");

static uint64_t magic(void) {
    uint64_t word;
    memcpy(&word, "LABRING1", sizeof word);
    return word;
}

_Noreturn void ring_corrupt(int64_t position, int32_t length) {
    die(STATUS_CHECK_FAILED, "the ring holds %" PRId32 " at position %" PRId64 ", which is no length of a record",
        length, position);
}

/* Maps all of an open file, and reads a byte of every page: what is mapped is there from now on. */
static int map(struct ring *ring, const char *path, int64_t bytes) {
    void *mapped = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->file, 0);
    if (mapped == MAP_FAILED) {
        return fail(STATUS_NO_RESOURCES, "--ring %s: %" PRId64 " bytes cannot be mapped: %s", path, bytes,
                    strerror(errno));
    }
    ring->header = mapped;
    ring->records = (uint8_t *)mapped + RING_HEADER_BYTES;
    ring->capacity = bytes - RING_HEADER_BYTES;
    ring->most = ring_most(ring->capacity);
    for (int64_t at = 0; at < bytes; at += 4096) {
        (void)*((volatile uint8_t *)mapped + at);
    }
    return 0;
}

/* A tmpfs that is full fails here, and not by SIGBUS in the middle of a measurement. */
static int reserve(const struct ring *ring, const char *path, int64_t bytes) {
    int error = posix_fallocate(ring->file, 0, bytes);
    return error
               ? fail(STATUS_NO_RESOURCES, "--dir: %s: no room for %" PRId64 " bytes: %s", path, bytes, strerror(error))
               : 0;
}

int ring_create(struct ring *ring, const char *path, int64_t capacity) {
    const int64_t bytes = RING_HEADER_BYTES + capacity;
    *ring = (struct ring){.file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (ring->file < 0) {
        return fail(STATUS_NO_RESOURCES, "--dir: %s cannot be made: %s", path, strerror(errno));
    }
    int status = reserve(ring, path, bytes);
    status = status ? status : map(ring, path, bytes);
    if (status) {
        ring_close(ring);
        unlink(path);
        return status;
    }
    memset(ring->header, 0, (size_t)bytes); /* every page is written once */
    ring->header->version = RING_VERSION;
    ring->header->header_bytes = RING_HEADER_BYTES;
    ring->header->capacity = (uint64_t)capacity;
    ring->header->file_bytes = (uint64_t)bytes;
    __atomic_store_n(&ring->header->magic, magic(), __ATOMIC_RELEASE);
    return 0;
}

/* A number with a comma between every three digits, in `text`. */
static const char *grouped(uint64_t number, char text[32]) {
    char *at = text + 31;
    *at = 0;
    for (int digits = 0; number > 0 || digits == 0; digits++, number /= 10) {
        if (digits > 0 && digits % 3 == 0) {
            *--at = ',';
        }
        *--at = (char)('0' + number % 10);
    }
    return at;
}

/* Whether what the header says of the file is possible, and of this file of `bytes`. */
static int check_header(const struct ring_header *header, const char *path, int64_t bytes) {
    char actual[32];
    char said[32];
    if (header->magic != magic()) {
        return fail(STATUS_BAD_ARGUMENT, "--ring %s: not a ring of this format (magic 0x%016" PRIx64 ")", path,
                    header->magic);
    }
    if (header->version != RING_VERSION) {
        return fail(STATUS_BAD_ARGUMENT, "--ring %s: version %" PRIu32 ", this program knows %d", path, header->version,
                    RING_VERSION);
    }
    if (header->header_bytes != RING_HEADER_BYTES) {
        return fail(STATUS_BAD_ARGUMENT, "--ring %s: a header of %" PRIu32 " bytes, version 1 has %d", path,
                    header->header_bytes, RING_HEADER_BYTES);
    }
    const uint64_t capacity = header->capacity;
    if (capacity == 0 || (capacity & (capacity - 1)) != 0) {
        return fail(STATUS_BAD_ARGUMENT, "--ring %s: capacity %" PRIu64 " is not a power of two", path, capacity);
    }
    if (capacity < RING_LEAST || capacity > RING_MOST) {
        return fail(STATUS_BAD_ARGUMENT, "--ring %s: capacity %" PRIu64 " is not from %d to %d", path, capacity,
                    RING_LEAST, RING_MOST);
    }
    if (header->file_bytes != RING_HEADER_BYTES + capacity) {
        return fail(STATUS_BAD_ARGUMENT, "--ring %s: capacity %" PRIu64 " and a length of %s: they do not agree", path,
                    capacity, grouped(header->file_bytes, said));
    }
    if ((uint64_t)bytes != header->file_bytes) {
        return fail(STATUS_BAD_ARGUMENT, "--ring %s: %s bytes long, its header says %s: %s", path,
                    grouped((uint64_t)bytes, actual), grouped(header->file_bytes, said),
                    (uint64_t)bytes < header->file_bytes ? "truncated" : "grown");
    }
    return 0;
}

/* The position after the records that follow `tail`: a producer that was killed leaves at most padding and one record,
 * and one that is at work goes on meanwhile. -1: these are no records. */
static int64_t committed(const struct ring *ring, int64_t tail) {
    for (int records = 0; records < 2; records++) {
        const int32_t length = __atomic_load_n(ring_length_at(ring, tail), __ATOMIC_ACQUIRE);
        if (length == 0) {
            break;
        }
        const int64_t rest = ring->capacity - (tail & (ring->capacity - 1));
        const int64_t bytes = length < 0 ? -(int64_t)length : ring_record(length);
        if (length > ring->most || bytes > rest || (length < 0 && bytes != rest)) {
            return -1;
        }
        tail += bytes;
    }
    return tail;
}

/* Head first: what the consumer has released, the producer has offered before, and it has stored the tail of all but
 * the last of it. Where it has gone on since the tail was read, records of its next lap may lie there: then the tail is
 * that of later. */
static int check_positions(const struct ring *ring, const char *path) {
    const int64_t head = __atomic_load_n(&ring->header->head, __ATOMIC_ACQUIRE);
    const int64_t tail = __atomic_load_n(&ring->header->tail, __ATOMIC_ACQUIRE);
    if (head < 0 || tail < 0 || head % RING_ALIGNMENT != 0 || tail % RING_ALIGNMENT != 0) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--ring %s: head %" PRId64 " and tail %" PRId64
                    ", where no record can begin: give a ring that nothing else wrote to",
                    path, head, tail);
    }
    if (head > tail && head > committed(ring, tail) && head > __atomic_load_n(&ring->header->tail, __ATOMIC_ACQUIRE)) {
        return fail(STATUS_BAD_ARGUMENT, "--ring %s: head %" PRId64 " is beyond tail %" PRId64, path, head, tail);
    }
    /* The tail was read later: meanwhile head may have moved, and tail with it. */
    if (tail - __atomic_load_n(&ring->header->head, __ATOMIC_ACQUIRE) > ring->capacity) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--ring %s: tail %" PRId64 " is further from head %" PRId64 " than its capacity", path, tail, head);
    }
    return 0;
}

/* `header` begins the file, or is all there is of it. */
static int read_header(const struct ring *ring, const char *path, struct ring_header *header, int64_t *bytes) {
    struct stat is;
    if (ring->file < 0 || fstat(ring->file, &is) != 0) {
        return fail(STATUS_BAD_ARGUMENT, "--ring %s: cannot be opened: %s", path, strerror(errno));
    }
    if (!S_ISREG(is.st_mode)) {
        return fail(STATUS_BAD_ARGUMENT, "--ring %s: not a file", path);
    }
    *bytes = is.st_size;
    if (*bytes < RING_HEADER_BYTES) {
        char actual[32];
        return fail(STATUS_BAD_ARGUMENT,
                    "--ring %s: not a ring of this format: %s bytes long, its header alone has "
                    "4,096",
                    path, grouped((uint64_t)*bytes, actual));
    }
    return pread(ring->file, header, sizeof *header, 0) == sizeof *header
               ? 0
               : fail(STATUS_BAD_ARGUMENT, "--ring %s: cannot be read: %s", path, strerror(errno));
}

int ring_attach(struct ring *ring, const char *path) {
    struct ring_header header;
    int64_t bytes = 0;
    *ring = (struct ring){.file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)};
    int status = read_header(ring, path, &header, &bytes);
    status = status ? status : check_header(&header, path, bytes);
    status = status ? status : map(ring, path, bytes);
    status = status ? status : check_positions(ring, path);
    if (status) {
        ring_close(ring);
    }
    return status;
}

int ring_produce(struct ring *ring, const char *path) {
    const int64_t tail = __atomic_load_n(&ring->header->tail, __ATOMIC_ACQUIRE);
    ring->head_seen = __atomic_load_n(&ring->header->head, __ATOMIC_ACQUIRE);
    ring->position = committed(ring, tail);
    if (ring->position < 0 || *ring_length_at(ring, ring->position) != 0) {
        return fail(STATUS_BAD_ARGUMENT,
                    "--ring %s: what follows tail %" PRId64
                    " is not one record: another producer is at work, or was not one",
                    path, tail);
    }
    if (ring->position != tail) {
        __atomic_store_n(&ring->header->tail, ring->position, __ATOMIC_RELAXED);
    }
    /* The one before it may have been killed on its way to do so. */
    __atomic_store_n(&ring->header->asleep, 0, __ATOMIC_SEQ_CST);
    futex_rouse(&ring->header->asleep);
    return 0;
}

void ring_consume(struct ring *ring) {
    ring->position = __atomic_load_n(&ring->header->head, __ATOMIC_ACQUIRE);
}

void ring_close(struct ring *ring) {
    if (ring->header) {
        munmap(ring->header, (size_t)(RING_HEADER_BYTES + ring->capacity));
    }
    if (ring->file >= 0) {
        close(ring->file);
    }
    *ring = (struct ring){.file = -1};
}
