#include "dispatch.h"

/* Apart from its caller, as the loop of dispatch_kernel.c is: neither knows the number of calls. */
uint64_t dispatch_inlined(int count, uint64_t value) {
    for (int i = 0; i < count; i++) {
        value = value * UINT64_C(6364136223846793005) + 7;
    }
    return value;
}
