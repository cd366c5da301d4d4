/* The ways of sequential_io that need nothing but the C library. */
#include "sequential_io_ways.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static inline void nothing(UNUSED struct stream *s) {
}

/* ---- write and read, one call per block; with O_DIRECT the very same calls ---- */

static inline void to_start(struct stream *s) {
    if (lseek(s->fd, 0, SEEK_SET) != 0) {
        file_refuse("positioning", errno);
    }
}

static inline void write_block(struct stream *s, int64_t b) {
    produce(s, s->block, b);
    file_write(s->fd, s->block, s->block_size);
}

static inline void read_block(struct stream *s, UNUSED int64_t b) {
    file_read(s->fd, s->block, s->block_size);
    sum_up(s, s->block);
}

DIRECTION(write_all, to_start, write_block, nothing)
DIRECTION(read_all, to_start, read_block, nothing)

const struct way way_write_read = {.file = true, .depth = 1, .write = write_all, .read = read_all};

const struct way way_direct = {.file = true, .flags = O_DIRECT, .depth = 1, .write = write_all, .read = read_all};

/* ---- mapped ---- The file is mapped anew for each direction: mapping is part of its first block and unmapping of its
 * last, and in between every page is touched for the first time, for page faults are what this way pays instead of
 * system calls. A file that grows gets its size here too, because a mapping cannot extend one. */

/* A page that the file system cannot back (full, failing) arrives as this signal, raised by our own load or store,
 * where no lock is held: ending with a message is safe. */
static void on_bus_error(UNUSED int number) {
    file_refuse("page fault", EIO);
}

static int catch_bus_errors(UNUSED struct stream *s) {
    signal(SIGBUS, on_bus_error);
    return 0;
}

static inline void map_file(struct stream *s) {
    s->map = mmap(NULL, (size_t)stream_bytes(s), PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
    if (s->map == MAP_FAILED) {
        file_refuse("mmap", errno);
    }
}

static inline void grow_and_map(struct stream *s) {
    if (s->grow && ftruncate(s->fd, stream_bytes(s)) != 0) {
        file_refuse("ftruncate", errno);
    }
    map_file(s);
}

static inline void unmap_file(struct stream *s) {
    if (munmap(s->map, (size_t)stream_bytes(s)) != 0) {
        file_refuse("munmap", errno);
    }
}

static inline void store_block(struct stream *s, int64_t b) {
    unsigned char *target = s->map + b * (int64_t)s->block_size;
    if (s->once) {
        __builtin_memcpy(target, s->block, s->block_size);
    } else {
        produce(s, target, b);
    }
}

static inline void load_block(struct stream *s, int64_t b) {
    const unsigned char *source = s->map + b * (int64_t)s->block_size;
    if (s->once) {
        __builtin_memcpy(s->block, source, s->block_size);
    } else {
        sum_up(s, source);
    }
}

DIRECTION(store_all, grow_and_map, store_block, unmap_file)
DIRECTION(load_all, map_file, load_block, unmap_file)

const struct way way_mapped = {
    .file = true, .depth = 1, .open = catch_bus_errors, .write = store_all, .read = load_all};

/* ---- no IO: what producing and summing the bytes costs alone ---- */

/* The compiler has to believe that somebody else reads and writes the block, as a system call would: else it could drop
 * the production of all blocks but the last and sum only once. */
static inline void seen_by_others(unsigned char *block) {
    __asm__ volatile("" : : "r"(block) : "memory");
}

static inline void produce_block(struct stream *s, int64_t b) {
    produce(s, s->block, b);
    seen_by_others(s->block);
}

static inline void sum_block(struct stream *s, UNUSED int64_t b) {
    seen_by_others(s->block);
    sum_up(s, s->block);
}

DIRECTION(produce_all, nothing, produce_block, nothing)
DIRECTION(sum_all, nothing, sum_block, nothing)

const struct way way_cpu_loop = {.depth = 1, .write = produce_all, .read = sum_all};
