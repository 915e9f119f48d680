/* Readers on bytes that were changed at random. Seeds must be read, cases that were once found are
 * tried again, and then changes are made for some seconds: SINEW_FUZZ_SECONDS for each target, and
 * SINEW_FUZZ_SEED for other ones. Sanitizers see what goes wrong; an input that takes longer than
 * SLOWEST, or all memory, ends the program. What it was is then in the file whose name was printed
 * last. */
#include "helpers/fuzz_targets.h"
#include "helpers/mutator.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SLOWEST = 20, MOST_MEMORY = 1 << 30, BETWEEN_LOOKS = 64 };
/* The same changes each time, a minute in both builds: tests/fuzz/run has others. */
static const double USUAL_SECONDS = 2;

/* The input under way, in a file that outlives the program. */
typedef struct {
    char path[512];
    mutated *input;
} kept_input;

static kept_input keep_input(const char *target)
{
    kept_input k;
    const char *folder = getenv("TMPDIR");
    snprintf(k.path, sizeof k.path, "%.400s/sinew-fuzz-%s-%ld", folder ? folder : "/tmp", target,
             (long)getpid());
    int file = open(k.path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0 && ftruncate(file, sizeof(mutated)) == 0, "cannot make %s", k.path);
    k.input = mmap(NULL, sizeof(mutated), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(k.input != MAP_FAILED, "cannot map %s", k.path);
    close(file);
    return k;
}

static void forget_input(kept_input *k)
{
    munmap(k->input, sizeof(mutated));
    remove(k->path);
}

/* From memory of just that size, so that reading beyond it is seen. */
static sn_status try_input(const fuzz_target *t, const char *data, size_t bytes)
{
    size_t held = sn_memory_held();
    char *copy = malloc(bytes + 1);
    memcpy(copy, data, bytes);
    copy[bytes] = '\0';
    alarm(SLOWEST);
    sn_status status = t->read(copy, bytes);
    alarm(0);
    free(copy);
    CHECK(sn_memory_held() == held, "%s: %zu bytes were not freed", t->name,
          sn_memory_held() - held);
    return status;
}

static void try_file(const fuzz_target *t, const char *path)
{
    static char data[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t bytes = file ? fread(data, 1, sizeof data, file) : 0;
    CHECK(bytes > 0, "cannot read %s", path);
    if (file)
        fclose(file);
    CHECK(try_input(t, data, bytes) != SN_OK, "%s is a good file", path);
}

/* Files of tests/fuzz/found are called after their target: gltf-json-length. */
static void try_found(const fuzz_target *t)
{
    char path[1024];
    size_t length = strlen(t->name);
    DIR *folder = opendir(SINEW_FOUND);
    CHECK(folder, "no folder %s", SINEW_FOUND);
    for (const struct dirent *e; folder && (e = readdir(folder));)
        if (strncmp(e->d_name, t->name, length) == 0 && e->d_name[length] == '-') {
            snprintf(path, sizeof path, "%s/%s", SINEW_FOUND, e->d_name);
            try_file(t, path);
        }
    if (folder)
        closedir(folder);
}

static void start_from_seed(const fuzz_target *t, mutated *m, unsigned long long *state)
{
    sample seed = t->seed((int)pick(state, (size_t)t->n_seeds));
    memcpy(m->data, seed.data, seed.bytes);
    m->bytes = seed.bytes;
}

static void fuzz(const fuzz_target *t, double seconds, unsigned long long *state)
{
    kept_input kept = keep_input(t->name);
    printf("%s: inputs are in %s\n", t->name, kept.path);
    fflush(stdout);
    long rounds = 0, good = 0;
    for (double end = MPI_Wtime() + seconds; rounds % BETWEEN_LOOKS || MPI_Wtime() < end;
         rounds++) {
        start_from_seed(t, kept.input, state);
        mutate(kept.input, state);
        good += try_input(t, kept.input->data, kept.input->bytes) == SN_OK;
    }
    forget_input(&kept);
    printf("%s: %ld inputs, of which %ld are good files\n", t->name, rounds, good);
}

static void fuzz_target_for(const fuzz_target *t, double seconds, unsigned long long *state)
{
    for (int i = 0; i < t->n_seeds; i++) {
        sample seed = t->seed(i);
        CHECK(try_input(t, seed.data, seed.bytes) == SN_OK, "%s: seed %d: %s", t->name, i,
              sn_failure_message());
    }
    try_found(t);
    fuzz(t, seconds, state);
}

/* Sanitizers take terabytes of addresses. */
static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
    setrlimit(RLIMIT_DATA, &(struct rlimit){MOST_MEMORY, MOST_MEMORY});
#endif
}

/* With an argument: that target only. */
static void run(int argc, char **argv)
{
    const char *seconds = getenv("SINEW_FUZZ_SECONDS"), *seed = getenv("SINEW_FUZZ_SEED");
    unsigned long long state = seed ? strtoull(seed, NULL, 10) : 1;
    limit_memory();
    for (int t = 0; t < FUZZ_TARGETS; t++)
        if (argc == 1 || strcmp(argv[1], fuzz_targets[t].name) == 0)
            fuzz_target_for(&fuzz_targets[t], seconds ? atof(seconds) : USUAL_SECONDS, &state);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
