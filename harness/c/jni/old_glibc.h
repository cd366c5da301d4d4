#pragma once

/* liblab_native.so also goes to hosts whose C library is older than this one's (lab parcel). What glibc 2.34 took over
 * from libpthread has two versions since: the older one is asked for, which every host has. The reader of numbers that
 * C23 renamed goes by its name of before. */
#include <features.h>

#define LAB_OLD(name, version) __asm__(".symver " #name "," #name "@GLIBC_" version)

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#ifdef __x86_64__
#define LAB_BASE "2.2.5"
LAB_OLD(pthread_attr_setaffinity_np, "2.3.4");
__asm__(".symver __isoc23_sscanf,__isoc99_sscanf@GLIBC_2.7");
#else
#define LAB_BASE "2.17"
LAB_OLD(pthread_attr_setaffinity_np, LAB_BASE);
__asm__(".symver __isoc23_sscanf,__isoc99_sscanf@GLIBC_2.17");
#endif
LAB_OLD(pthread_create, LAB_BASE);
LAB_OLD(pthread_join, LAB_BASE);
LAB_OLD(pthread_barrier_init, LAB_BASE);
LAB_OLD(pthread_barrier_wait, LAB_BASE);
LAB_OLD(pthread_barrier_destroy, LAB_BASE);
#endif
