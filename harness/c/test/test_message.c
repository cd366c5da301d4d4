/* Messages of ipc: their bytes, and that no changed one is taken for what was sent. */
#include "experiments/ipc/message.h"
#include "test.h"

/* No bit of a message can change without being noticed. */
static void test_messages(void) {
    static uint8_t payload[MESSAGE_BIGGEST];
    const int64_t sizes[] = {16, 60, 68, 252, 1020, 4092};
    for (size_t i = 0; i < N(sizes); i++) {
        const int64_t sequence = INT64_C(1) << 40;
        const int64_t sum = message_write(payload, sizes[i], KIND_MESSAGE, sequence, -7);
        int64_t unnoticed = 0;
        for (int64_t bit = 0; bit <= 8 * sizes[i]; bit++) { /* the last time none */
            payload[bit / 8] ^= (uint8_t)((bit < 8 * sizes[i]) << bit % 8);
            const struct message read = message_read(payload, sizes[i]);
            unnoticed += read.kind == KIND_MESSAGE && read.sequence == sequence && read.time == -7 && read.sum == sum;
            payload[bit / 8] ^= (uint8_t)((bit < 8 * sizes[i]) << bit % 8);
        }
        CHECK_EQUAL(1, unnoticed);
    }
    CHECK_EQUAL(INT64_C(36) * 5 + 9, message_write(payload, 60, KIND_LAST, 5, 9));
    CHECK_EQUAL(55, message_get(payload, 52));
    message_write(payload, 68, KIND_LAST, 5, 9);
    CHECK_EQUAL(15, message_get(payload, 60));
    CHECK_EQUAL(-1, message_narrowed(16, INT64_C(0x7ffffffff)));
    CHECK_EQUAL(INT64_C(0x7ffffffff), message_narrowed(60, INT64_C(0x7ffffffff)));
}

int main(void) {
    test_messages();
    TEST_END();
}
