#include "hdr.h"
#include "allocate.h"
#include "status.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    COOKIE = 0x1c849303 | 0x10,            /* V2, counts as ZigZag LEB128 */
    COMPRESSED_COOKIE = 0x1c849304 | 0x10, /* V2, deflated */
    HALF = HDR_SUB_BUCKETS / 2,
    SUB_BUCKET_BITS = 11, /* log2(HDR_SUB_BUCKETS) */
};

void hdr_reset(struct hdr *hdr) {
    memset(hdr, 0, sizeof *hdr);
}

/* Number of low bits of `value` that its bucket does not resolve. */
static int bucket_of(int64_t value) {
    uint64_t at_least_first_bucket = (uint64_t)value | (HDR_SUB_BUCKETS - 1);
    return 64 - SUB_BUCKET_BITS - __builtin_clzll(at_least_first_bucket);
}

size_t hdr_index(int64_t value) {
    int bucket = bucket_of(value);
    /* Bucket 0 uses all 2048 sub-buckets, the others only their upper half. */
    return (size_t)bucket * HALF + (size_t)(value >> bucket);
}

int64_t hdr_lowest_equivalent(int64_t value) {
    int bucket = bucket_of(value);
    return value >> bucket << bucket;
}

int64_t hdr_highest_equivalent(int64_t value) {
    return hdr_lowest_equivalent(value) + (INT64_C(1) << bucket_of(value)) - 1;
}

bool hdr_record(struct hdr *hdr, int64_t value, int64_t count) {
    if (value < 0 || value > HDR_HIGHEST || count < 0) {
        return false;
    }
    hdr->counts[hdr_index(value)] += count;
    hdr->total += count;
    if (count > 0 && value > hdr->max) {
        hdr->max = value;
    }
    return true;
}

int64_t hdr_max(const struct hdr *hdr) {
    return hdr->max == 0 ? 0 : hdr_highest_equivalent(hdr->max);
}

static uint8_t *put_big_endian(uint8_t *out, uint64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; i--) {
        *out++ = (uint8_t)(value >> (8 * i));
    }
    return out;
}

/* ZigZag, then LEB128 in the 64b9B variant: the ninth byte carries eight bits and ends the word. */
static uint8_t *put_count(uint8_t *out, int64_t count) {
    uint64_t word = ((uint64_t)count << 1) ^ (uint64_t)(count >> 63);
    for (int i = 0; i < 8; i++) {
        if (word < 0x80) {
            *out++ = (uint8_t)word;
            return out;
        }
        *out++ = (uint8_t)(word | 0x80);
        word >>= 7;
    }
    *out++ = (uint8_t)word;
    return out;
}

size_t hdr_encode(const struct hdr *hdr, uint8_t *out) {
    const double ratio = 1.0; /* integer to double conversion: values are plain nanoseconds */
    uint64_t ratio_bits;
    memcpy(&ratio_bits, &ratio, sizeof ratio_bits);
    uint8_t *at = put_big_endian(out, COOKIE, 4);
    uint8_t *payload_length = at;
    at = put_big_endian(at, 0, 4); /* patched below */
    at = put_big_endian(at, 0, 4); /* normalizing index offset */
    at = put_big_endian(at, HDR_DIGITS, 4);
    at = put_big_endian(at, HDR_LOWEST, 8);
    at = put_big_endian(at, HDR_HIGHEST, 8);
    at = put_big_endian(at, ratio_bits, 8);
    uint8_t *payload = at;
    size_t limit = hdr_index(hdr->max) + 1;
    for (size_t i = 0; i < limit;) {
        size_t zeros = 0;
        while (i + zeros < limit && hdr->counts[i + zeros] == 0) {
            zeros++;
        }
        /* A run of zeros is its negative length; a single zero is itself. */
        if (zeros > 1) {
            at = put_count(at, -(int64_t)zeros);
            i += zeros;
        } else {
            at = put_count(at, hdr->counts[i++]);
        }
    }
    put_big_endian(payload_length, (uint64_t)(at - payload), 4);
    return (size_t)(at - out);
}

static char *base64(const uint8_t *bytes, size_t length) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = reallocate(NULL, (length + 2) / 3 * 4 + 1);
    char *at = text;
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t word = (uint32_t)bytes[i] << 16;
        word |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        word |= left > 2 ? (uint32_t)bytes[i + 2] : 0;
        *at++ = digits[word >> 18 & 63];
        *at++ = digits[word >> 12 & 63];
        *at++ = left > 1 ? digits[word >> 6 & 63] : '=';
        *at++ = left > 2 ? digits[word & 63] : '=';
    }
    *at = '\0';
    return text;
}

char *hdr_encode_base64(const struct hdr *hdr) {
    uint8_t *plain = reallocate(NULL, HDR_ENCODED_BYTES);
    size_t plain_length = hdr_encode(hdr, plain);
    uLongf packed_length = compressBound(plain_length);
    uint8_t *packed = reallocate(NULL, 8 + packed_length);
    if (compress2(packed + 8, &packed_length, plain, plain_length, Z_BEST_COMPRESSION) != Z_OK) {
        die(STATUS_NO_RESOURCES, "memory: zlib could not compress %zu bytes", plain_length);
    }
    put_big_endian(packed, COMPRESSED_COOKIE, 4);
    put_big_endian(packed + 4, packed_length, 4);
    char *text = base64(packed, 8 + packed_length);
    free(packed);
    free(plain);
    return text;
}
