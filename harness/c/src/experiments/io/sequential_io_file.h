#pragma once

#include "sequential_io_stream.h"

/* The file of a stream. */

enum preparation { ZEROS, FALLOCATE, EXTEND, REUSE };

/* 0, or fail(): `folder` is not one (bad argument), or `bytes` are not free there. */
int file_check_space(const char *folder, int64_t bytes);

/* Opens a nameless file in `folder` as s->fd and brings it into its state before pass 1. 0 or fail(). */
int file_open(struct stream *s, const char *folder, enum preparation preparation, int flags);

/* Brings the file into its state before every pass. Ends the process when it cannot. */
void file_start_pass(struct stream *s, enum preparation preparation);

/* Sum of all bytes of the file, read back one block at a time. */
uint64_t file_sum(struct stream *s);

/* Bytes that the calling thread has fetched from devices since it began, or -1 where the kernel does not count them.
 * Reading ahead and the page faults of a mapping count for the thread that caused them. */
int64_t file_device_bytes(void);

/* Writes or reads one whole block at the file's position. A call may move less than was asked: it goes on. Ends the
 * process when the system refuses. */
void file_write(int fd, const unsigned char *block, size_t size);
void file_read(int fd, unsigned char *block, size_t size);

/* Ends the process: `what` failed with `error` (errno; 0: the file ended early). Any thread. */
_Noreturn void file_refuse(const char *what, int error);
