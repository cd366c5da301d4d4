#include "experiment.h"

#define EXPERIMENT(name) extern const struct experiment experiment_##name;
#include "registry.def"
#undef EXPERIMENT

#define EXPERIMENT(name) &experiment_##name,
const struct experiment *const experiments[] = {
#include "registry.def"
    NULL};
#undef EXPERIMENT
