/* What is fuzzed: the readers of everything that a scene can name. A target gets any bytes, and may
 * neither crash, hang, leak nor take memory without end; what it makes of them does not matter. */
#ifndef SN_TESTS_FUZZ_TARGETS_H
#define SN_TESTS_FUZZ_TARGETS_H

#include "helpers/mesh_samples.h"

#include "base/status.h"

typedef struct {
    const char *name;
    /* A zero byte follows the last one. SN_OK if they are a good file. */
    sn_status (*read)(char *data, size_t bytes);
    /* Good files to start from, from 0 on. */
    int n_seeds;
    sample (*seed)(int i);
} fuzz_target;

enum { FUZZ_TARGETS = 7 };
extern const fuzz_target fuzz_targets[FUZZ_TARGETS];

#endif
