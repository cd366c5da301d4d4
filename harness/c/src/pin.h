#pragma once

/*
 * Pins the calling thread to `cpu` (-1: leaves it as it is) and reads the mask back into `observed` (ascending, room
 * for `capacity`), so that a result can say where a thread really ran. `*count` is the number of CPUs observed; 0 when
 * not pinned. Returns 0 or errno (EINVAL: no such CPU, or not allowed here).
 */
int pin_thread(int cpu, int *observed, int capacity, int *count);

/* 0 when this process may run on every one of `cpus`, otherwise fail(STATUS_BAD_ARGUMENT). The affinity of the calling
 * thread is the same afterwards, and it is on the first of them: with several NUMA nodes the words that workers share
 * lie where they are touched first, which is by it. */
int pin_check(const int *cpus, int count);

/* Number of different CPUs in `cpus`; with none, the number that this process may run on. */
int pin_distinct(const int *cpus, int count);
