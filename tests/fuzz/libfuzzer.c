/* The same targets for libFuzzer: SINEW_FUZZ_TARGET names one, and seeds go to SINEW_FUZZ_CORPUS.
 */
#include "helpers/fuzz_targets.h"

#include <mpi.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static const fuzz_target *target = &fuzz_targets[0];

static void write_seeds(const char *folder)
{
    char path[1024];
    for (int i = 0; i < target->n_seeds; i++) {
        sample seed = target->seed(i);
        snprintf(path, sizeof path, "%s/seed-%d", folder, i);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(seed.data, 1, seed.bytes, file) != seed.bytes || fclose(file) != 0)
            abort();
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("SINEW_FUZZ_TARGET"), *corpus = getenv("SINEW_FUZZ_CORPUS");
    (void)argc, (void)argv;
    for (int t = 0; name && t < FUZZ_TARGETS; t++)
        if (strcmp(fuzz_targets[t].name, name) == 0)
            target = &fuzz_targets[t];
    if (target->agrees)
        MPI_Init(NULL, NULL);
    if (corpus)
        write_seeds(corpus);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *copy = malloc(bytes + 1);
    memcpy(copy, data, bytes);
    copy[bytes] = '\0';
    (void)!target->read(copy, bytes);
    free(copy);
    return 0;
}
