#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An HdrHistogram of nanoseconds: lowest discernible value 1, highest trackable 3,600,000,000,000 (one hour), 3
 * significant digits; written in the V2 format of the HdrHistogram project, byte for byte as the Java library 2.2.2
 * writes it. A C implementation is here because no Debian package offers one.
 */
#define HDR_LOWEST INT64_C(1)
#define HDR_HIGHEST INT64_C(3600000000000)
#define HDR_DIGITS 3
/* Three digits need 2048 sub-buckets (the power of two above 2 x 10^3); every further bucket doubles the range with its
 * upper 1024. 2048 x 2^31 is the first such bound above HDR_HIGHEST. */
#define HDR_SUB_BUCKETS 2048
#define HDR_BUCKETS 32
#define HDR_COUNTS ((HDR_BUCKETS + 1) * (HDR_SUB_BUCKETS / 2))

struct hdr {
    int64_t counts[HDR_COUNTS];
    int64_t total;
    int64_t max; /* the largest value recorded, 0 when empty */
};

void hdr_reset(struct hdr *hdr);

/* Adds `count` samples of `value` nanoseconds. False, and nothing recorded, when `value` is outside 0..HDR_HIGHEST or
 * `count` is negative. */
bool hdr_record(struct hdr *hdr, int64_t value, int64_t count);

/* Index of the bucket that holds `value` (0..HDR_HIGHEST). */
size_t hdr_index(int64_t value);

/* Lowest and highest value that share the bucket of `value`. */
int64_t hdr_lowest_equivalent(int64_t value);
int64_t hdr_highest_equivalent(int64_t value);

/* The largest value as Java's getMaxValue() gives it: highest equivalent of the largest; 0 empty. */
int64_t hdr_max(const struct hdr *hdr);

/* Most bytes hdr_encode() can write. */
#define HDR_ENCODED_BYTES (40 + (size_t)HDR_COUNTS * 9)

/* Writes the uncompressed V2 encoding into `out` (HDR_ENCODED_BYTES) and returns its length. */
size_t hdr_encode(const struct hdr *hdr, uint8_t *out);

/* The compressed V2 encoding in base64, in a string that the caller frees. Compressed at level 9, as Java's
 * HistogramLogWriter does. Ends the process (status 5) without memory. */
char *hdr_encode_base64(const struct hdr *hdr);
