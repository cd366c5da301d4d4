#pragma once

#include "experiment.h"

/* Run a whole trial of readers, with checks and measures; return 0 or fail(). */
int single_writer_readers(const struct trial *trial, struct recorder *recorder);

#ifdef LAB_BROKEN_LOCK
/* Its writer counts down, which the check has to notice. */
int single_writer_backward(const struct trial *trial, struct recorder *recorder);
#endif
