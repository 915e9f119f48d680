#include "base/limits.h"

#include <stddef.h>
#include <sys/resource.h>

/* Each with room above what an empty run took with Open MPI 4.1: files of shared memory of 4 MB, 30
 * descriptors, 320 MB of addresses with a thread, 256 kB of stack. */
static const struct {
    __rlimit_resource_t resource;
    const char *what, *option;
    rlim_t least, unit;
    const char *units;
} NEEDS[] = {{RLIMIT_FSIZE, "the size of files", "-f", 16 << 20, 1 << 20, "MB"},
             {RLIMIT_NOFILE, "open files", "-n", 64, 1, "files"},
             {RLIMIT_AS, "memory", "-v", 400 << 20, 1 << 20, "MB"},
             {RLIMIT_STACK, "the stack", "-s", 1 << 20, 1 << 20, "MB"}};
enum { N_NEEDS = sizeof NEEDS / sizeof *NEEDS };

/* Many ranks have many connections, and usual limits are far below what is allowed. No more than
 * will do: where all is allowed, libraries that go through all numbers would take their time. */
static void raise_open_files(void)
{
    const rlim_t enough = 1 << 16;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= enough)
        return;
    limit.rlim_cur = limit.rlim_max < enough ? limit.rlim_max : enough;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

sn_status sn_limits_check(void)
{
    struct rlimit limit;
    raise_open_files();
    for (size_t i = 0; i < N_NEEDS; i++)
        if (getrlimit(NEEDS[i].resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
            limit.rlim_cur < NEEDS[i].least)
            return SN_FAIL(
                SN_MACHINE,
                "the limit of %s (ulimit %s) is too low to start: at least %llu %s are needed",
                NEEDS[i].what, NEEDS[i].option,
                (unsigned long long)(NEEDS[i].least / NEEDS[i].unit), NEEDS[i].units);
    return SN_OK;
}
