/*
 * The natives of the Java class lab.Native (all static): what a JVM cannot ask the kernel itself. Errors come back as
 * errno values, so that the Java side can say what failed.
 */
#include "cpu.h"
#include "futex.h"
#include "reading.h"
#include "run_delay.h"

#include <errno.h>
#include <fcntl.h>
#include <jni.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Numbers as a long[]; null without memory. */
static jlongArray longs(JNIEnv *env, const jlong *values, jsize count) {
    jlongArray result = (*env)->NewLongArray(env, count);
    if (result) {
        (*env)->SetLongArrayRegion(env, result, 0, count, values);
    }
    return result;
}

/* int pin(int cpu): pins the calling thread. 0 or errno (EINVAL: no such CPU). A virtual thread would pin its
 * carrier. */
JNIEXPORT jint JNICALL Java_lab_Native_pin(UNUSED JNIEnv *env, UNUSED jclass class, jint cpu) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) {
        return EINVAL;
    }
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    return sched_setaffinity(0, sizeof mask, &mask) == 0 ? 0 : errno;
}

/* int visit(int cpu): puts the calling thread on a CPU and leaves it free to be moved again, so that threads it starts
 * are as free. 0 or errno. */
JNIEXPORT jint JNICALL Java_lab_Native_visit(JNIEnv *env, jclass class, jint cpu) {
    cpu_set_t before;
    if (sched_getaffinity(0, sizeof before, &before) != 0) {
        return errno;
    }
    const jint error = Java_lab_Native_pin(env, class, cpu);
    return sched_setaffinity(0, sizeof before, &before) == 0 ? error : errno;
}

/* int[] affinity(): the CPUs the calling thread may run on, ascending; null when the kernel does not say. */
JNIEXPORT jintArray JNICALL Java_lab_Native_affinity(JNIEnv *env, UNUSED jclass class) {
    cpu_set_t mask;
    jint cpus[CPU_SETSIZE];
    jsize count = 0;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) {
        return NULL;
    }
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &mask)) {
            cpus[count++] = cpu;
        }
    }
    jintArray result = (*env)->NewIntArray(env, count);
    if (result) {
        (*env)->SetIntArrayRegion(env, result, 0, count, cpus);
    }
    return result;
}

/* long[2] contextSwitches(): voluntary and involuntary switches of the calling thread so far. */
JNIEXPORT jlongArray JNICALL Java_lab_Native_contextSwitches(JNIEnv *env, UNUSED jclass class) {
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) != 0) {
        return NULL;
    }
    const jlong switches[2] = {usage.ru_nvcsw, usage.ru_nivcsw};
    return longs(env, switches, 2);
}

/* long[4] runDelay(): ns that the calling thread ran, that it waited for a CPU, that the process used, and
 * CLOCK_MONOTONIC; null when the kernel does not say. */
JNIEXPORT jlongArray JNICALL Java_lab_Native_runDelay(JNIEnv *env, UNUSED jclass class) {
    struct run_delay now;
    if (!run_delay_read(&now)) {
        return NULL;
    }
    const jlong values[4] = {now.ran_ns, now.delay_ns, now.process_ns, now.at_ns};
    return longs(env, values, 4);
}

/* long[3] used(): of the calling thread so far: CPU time in ns, how often it slept (voluntary context switches), and
 * page faults that needed no reading; null when the kernel does not say. */
JNIEXPORT jlongArray JNICALL Java_lab_Native_used(JNIEnv *env, UNUSED jclass class) {
    struct rusage usage;
    struct timespec cpu;
    if (getrusage(RUSAGE_THREAD, &usage) != 0 || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) != 0) {
        return NULL;
    }
    const jlong values[3] = {cpu.tv_sec * INT64_C(1000000000) + cpu.tv_nsec, usage.ru_nvcsw, usage.ru_minflt};
    return longs(env, values, 3);
}

/* void readCore(double[2]): chain_ns and wide_ns of reading.h. */
JNIEXPORT void JNICALL Java_lab_Native_readCore(JNIEnv *env, UNUSED jclass class, jdoubleArray into) {
    struct reading reading;
    reading_core(&reading);
    const jdouble values[2] = {reading.chain_ns, reading.wide_ns};
    (*env)->SetDoubleArrayRegion(env, into, 0, 2, values);
}

/* Java allocates them by their size, and a line more to align the first in. */
_Static_assert(sizeof(struct reading_line) == 256 && LAB_LINE == 128, "lab.Readings knows it");

static struct reading_line *line_of(JNIEnv *env, jobject lines, jint pair) {
    const uintptr_t begin = (uintptr_t)(*env)->GetDirectBufferAddress(env, lines);
    const uintptr_t first = (begin + LAB_LINE - 1) / LAB_LINE * LAB_LINE;
    return (struct reading_line *)first + pair;
}

/* double readAsk(ByteBuffer lines, int pair) and void readAnswer(...): word_ns of reading.h. */
JNIEXPORT jdouble JNICALL Java_lab_Native_readAsk(JNIEnv *env, UNUSED jclass class, jobject lines, jint pair) {
    return reading_ask(line_of(env, lines, pair));
}

JNIEXPORT void JNICALL Java_lab_Native_readAnswer(JNIEnv *env, UNUSED jclass class, jobject lines, jint pair) {
    reading_answer(line_of(env, lines, pair));
}

/* int readPair(int cpu, int other, double[3]): chain_ns, wide_ns and word_ns of reading_pair(). 0 or errno. */
JNIEXPORT jint JNICALL Java_lab_Native_readPair(JNIEnv *env, UNUSED jclass class, jint cpu, jint other,
                                                jdoubleArray into) {
    struct reading reading;
    const jint error = reading_pair(cpu, other, &reading);
    const jdouble values[3] = {reading.chain_ns, reading.wide_ns, reading.word_ns};
    (*env)->SetDoubleArrayRegion(env, into, 0, 3, values);
    return error;
}

/* int sleep(ByteBuffer memory, int at, int value, long most): sleeps while the int at byte `at` of memory that
 * processes share holds `value`, until wake() of it and at most that many ns. 0 or errno (EAGAIN: it held another;
 * ETIMEDOUT; EINTR). The buffer is direct and the int in it, aligned. */
JNIEXPORT jint JNICALL Java_lab_Native_sleep(JNIEnv *env, UNUSED jclass class, jobject memory, jint at, jint value,
                                             jlong most) {
    char *begin = (*env)->GetDirectBufferAddress(env, memory);
    if (!begin) {
        return EINVAL;
    }
    return futex_sleep((uint32_t *)(void *)(begin + at), (uint32_t)value, most) == 0 ? 0 : errno;
}

/* int wake(ByteBuffer memory, int at): wakes one that sleeps so; how many there were, or -1. */
JNIEXPORT jint JNICALL Java_lab_Native_wake(JNIEnv *env, UNUSED jclass class, jobject memory, jint at) {
    char *begin = (*env)->GetDirectBufferAddress(env, memory);
    return begin ? (jint)futex_rouse((uint32_t *)(void *)(begin + at)) : -1;
}

/* int neverBlock(FileDescriptor file): reads and writes of it that would wait move nothing from now on. 0 or errno. A
 * FileChannel has no way to ask for that. */
JNIEXPORT jint JNICALL Java_lab_Native_neverBlock(JNIEnv *env, UNUSED jclass class, jobject file) {
    const jclass type = (*env)->GetObjectClass(env, file);
    const jfieldID number = (*env)->GetFieldID(env, type, "fd", "I");
    if (!number) {
        return EINVAL;
    }
    const int fd = (*env)->GetIntField(env, file, number);
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 ? 0 : errno;
}

/* int dieWithParent(): SIGKILL when the thread that started this process has ended; 0 or errno. The calling thread must
 * live as long as that is to hold. */
JNIEXPORT jint JNICALL Java_lab_Native_dieWithParent(UNUSED JNIEnv *env, UNUSED jclass class) {
    const pid_t parent = getppid();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
        return errno;
    }
    /* It may have ended before the kernel was asked. */
    if (getppid() != parent) {
        raise(SIGKILL);
    }
    return 0;
}

/* int fallocate(String path, long bytes): creates the file if need be and reserves its blocks, all inside the file's
 * size. 0 or errno (EOPNOTSUPP: not on this file system; ENOSPC); a file it created stays then and is the caller's to
 * remove. The path's bytes are those of modified UTF-8: the same as UTF-8 but for NUL and characters beyond U+FFFF. */
JNIEXPORT jint JNICALL Java_lab_Native_fallocate(JNIEnv *env, UNUSED jclass class, jstring path, jlong bytes) {
    if (!path || bytes <= 0) {
        return EINVAL;
    }
    const char *name = (*env)->GetStringUTFChars(env, path, NULL);
    if (!name) {
        return ENOMEM;
    }
    int error = 0;
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0 || fallocate(fd, 0, 0, bytes) != 0) {
        error = errno;
    }
    if (fd >= 0) {
        close(fd);
    }
    (*env)->ReleaseStringUTFChars(env, path, name);
    return error;
}

/* int mkfifo(String path): a named pipe for this user; 0 or errno. The path's bytes as above. */
JNIEXPORT jint JNICALL Java_lab_Native_mkfifo(JNIEnv *env, UNUSED jclass class, jstring path) {
    if (!path) {
        return EINVAL;
    }
    const char *name = (*env)->GetStringUTFChars(env, path, NULL);
    if (!name) {
        return ENOMEM;
    }
    const int error = mkfifo(name, 0600) == 0 ? 0 : errno;
    (*env)->ReleaseStringUTFChars(env, path, name);
    return error;
}
