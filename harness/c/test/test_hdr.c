/*
 * The encoding against golden vectors made with org.hdrhistogram:HdrHistogram:2.2.2 (its HistogramLogWriter), and the
 * buckets against what a histogram of three digits must guarantee.
 */
#include "hdr.h"
#include "test.h"

#include <stdlib.h>
#include <zlib.h>

static struct hdr hdr;
static uint8_t encoded[HDR_ENCODED_BYTES];
static uint8_t golden[HDR_ENCODED_BYTES];

static void record(int64_t value, int64_t count) {
    CHECK(hdr_record(&hdr, value, count));
}

static void empty(void) {
}

static void one(void) {
    record(1234, 1);
}

static void highest(void) {
    record(HDR_HIGHEST, 1);
}

/* Neighbouring buckets, with single empty ones between. */
static void dense(void) {
    for (int64_t v = 1; v <= 3000; v++) {
        if (v % 7) {
            record(v, v % 7);
        }
    }
}

/* Around every bucket limit of the whole range. */
static void powers(void) {
    for (int k = 0; k <= 40; k++) {
        for (int64_t d = -1; d <= 1; d++) {
            int64_t value = (INT64_C(1) << k) + d;
            if (value > 0) {
                record(value, k + 1);
            }
        }
    }
}

static void large_counts(void) {
    record(10, INT64_C(1) << 31);
    record(20, (INT64_C(1) << 31) + 5);
    record(3000, INT64_C(1) << 40);
    record(5000000, INT64_C(1) << 56);
    record(70000000, (INT64_C(1) << 61) + 12345);
}

/* The largest count of every encoded length, and the smallest of the next. */
static void count_edges(void) {
    for (int i = 1; i <= 8; i++) {
        record(1 + 3 * i, (INT64_C(1) << (7 * i - 1)) - 1);
        record(100 + 3 * i, INT64_C(1) << (7 * i - 1));
    }
}

/* The ninth byte of a word carries eight bits. */
static void largest_count(void) {
    record(7, INT64_MAX);
}

static void huge_count(void) {
    record(7, (INT64_C(1) << 62) + 9);
    record(9, 1);
}

static const struct {
    void (*fill)(void);
    const char *base64;
} vectors[] = {
    {empty, "HISTFAAAACF42pNpmSzMwMDAyAABzFAayGd2M9ixgMH+A1QEAFKmBEw="},
    {one, "HISTFAAAACN42pNpmSzMwMDAzAABMJoRyHQz2LGAwf4DRGCxMBMAXZcFBg=="},
    {highest, "HISTFAAAACV42pNpmSzMwMDAwgABzFCaEch0M9ixgMH+A0RgehcLEwBj/QV2"},
    {dense, "HISTFAAAAEJ42pNpmSzMwMB5lwECmKE0I5DpZrBjAYP9B6gIEwsbBxfPKDVKjVKj1Cg1So1SI4gS4mHjE2PiGqWG"
            "IcUBAM3QS30="},
    {powers, "HISTFAAAAMR42pNpmSzMwMCwmgECmKE0I5DpZrBjAYP9B6gIGxsXGxsDBwcHJxcXlyQPD48lHx9fpYCAwE9GISGh"
             "n8wiIiI/2cXExH7ySxj85pcy+c0vY/GbX87mN7+Cw29+JZff/Coev/nVfH7zawT85tcK+c2vE/GbXy/mN79Bwm9+"
             "o5Tf/CYZv/nNcn7zWxT85rcq+c1vU/Gb367mN79DA+NvfqcWIOHSASTceoCExwQg4TUFSPjMABJ+c4BEwAIgEbSE"
             "EQBYgzwg"},
    {large_counts, "HISTFAAAAD142pNpmSzMwMCgzQABzFCaEch0M9ixgMH+A0RAuAEIBAS7QGSvOojT4HB2NWMDFDCdtf10oBEiDACf"
                   "Cxew"},
    {count_edges, "HISTFAAAAEV42pNpmSzMwMCQyAABzFCaEch0M9ixgMH+A0SAvY75Xz3zv/8gDCGgJIyC0//rZzI2MDI3gDGEgJIw"
                  "Ck4jGA2MABtsN1M="},
    {largest_count, "HISTFAAAACZ42pNpmSzMwMDAxQABzFCaEch0M9ixgMH+A0SA999/KAAAqCENWA=="},
    {huge_count, "HISTFAAAACh42pNpmSzMwMDAwwABzFCaEch0M9ixgMH+A0SAd1IDFDAwAQCkvQj4"},
};

static size_t decode_base64(const char *text, uint8_t *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = 0;
    uint32_t word = 0;
    int bits = 0;
    for (; *text && *text != '='; text++) {
        word = word << 6 | (uint32_t)(strchr(digits, *text) - digits);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out[length++] = (uint8_t)(word >> bits);
        }
    }
    return length;
}

/* Unpacks a base64 compressed encoding into `out`; returns the length of the plain encoding. */
static size_t unpack(const char *base64, uint8_t *out) {
    uint8_t *packed = malloc(strlen(base64) + 1);
    size_t length = decode_base64(base64, packed);
    uLongf unpacked = HDR_ENCODED_BYTES;
    CHECK(length > 8 && memcmp(packed, "\x1c\x84\x93\x14", 4) == 0);
    CHECK_EQUAL(length - 8, packed[4] << 24 | packed[5] << 16 | packed[6] << 8 | packed[7]);
    CHECK_EQUAL(Z_OK, uncompress(out, &unpacked, packed + 8, length - 8));
    free(packed);
    return unpacked;
}

static void test_golden_vectors(void) {
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        hdr_reset(&hdr);
        vectors[i].fill();
        size_t length = hdr_encode(&hdr, encoded);
        CHECK_EQUAL(unpack(vectors[i].base64, golden), length);
        CHECK(memcmp(golden, encoded, length) == 0);
        char *ours = hdr_encode_base64(&hdr);
        CHECK_EQUAL(unpack(ours, golden), length);
        CHECK(memcmp(golden, encoded, length) == 0);
        /* zlib-ng packs the same bytes differently, and as correctly. */
        if (!strstr(zlibVersion(), "ng")) {
            CHECK_TEXT(vectors[i].base64, ours);
        }
        free(ours);
    }
}

/* Buckets tile the range without gap or overlap, and none is wider than a thousandth. */
static void test_buckets_tile_the_range(void) {
    int64_t value = 0;
    for (size_t index = 0; value <= HDR_HIGHEST; index++) {
        int64_t high = hdr_highest_equivalent(value);
        CHECK_EQUAL((int64_t)index, (int64_t)hdr_index(value));
        CHECK_EQUAL((int64_t)index, (int64_t)hdr_index(high));
        CHECK_EQUAL(value, hdr_lowest_equivalent(high));
        CHECK(value < 2048 ? high == value : (high - value + 1) * 1000 <= value);
        CHECK(index < HDR_COUNTS);
        value = high + 1;
    }
}

static int ascending(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* The value at each rank, by walking the counts, is the sorted sample up to its bucket. */
static void test_ranks_match_sorted_samples(void) {
    enum { SAMPLES = 20000 };
    static int64_t samples[SAMPLES];
    uint64_t state = 42;
    hdr_reset(&hdr);
    for (int i = 0; i < SAMPLES; i++) {
        samples[i] = (int64_t)(test_random(&state) >> (22 + test_random(&state) % 42)) % (HDR_HIGHEST + 1);
        record(samples[i], 1);
    }
    qsort(samples, SAMPLES, sizeof *samples, ascending);
    size_t rank = 0;
    for (size_t index = 0; index < HDR_COUNTS; index++) {
        for (int64_t k = 0; k < hdr.counts[index] && rank < SAMPLES; k++) {
            CHECK_EQUAL((int64_t)index, (int64_t)hdr_index(samples[rank++]));
        }
    }
    CHECK_EQUAL(SAMPLES, (int64_t)rank);
    CHECK_EQUAL(SAMPLES, hdr.total);
    CHECK_EQUAL(hdr_highest_equivalent(samples[SAMPLES - 1]), hdr_max(&hdr));
}

static void test_range(void) {
    hdr_reset(&hdr);
    CHECK(!hdr_record(&hdr, -1, 1));
    CHECK(!hdr_record(&hdr, HDR_HIGHEST + 1, 1));
    CHECK(!hdr_record(&hdr, INT64_MAX, 1));
    CHECK(!hdr_record(&hdr, 5, -1));
    CHECK_EQUAL(0, hdr.total);
    CHECK_EQUAL(0, hdr_max(&hdr));
    CHECK(hdr_record(&hdr, 0, 1));
    CHECK(hdr_record(&hdr, HDR_HIGHEST, 1));
    CHECK_EQUAL(2, hdr.total);
}

int main(void) {
    test_golden_vectors();
    test_buckets_tile_the_range();
    test_ranks_match_sorted_samples();
    test_range();
    TEST_END();
}
