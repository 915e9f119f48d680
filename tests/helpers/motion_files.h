/* For tests of motions: a folder of their own for files, and comparing poses. */
#ifndef SN_TESTS_MOTION_FILES_H
#define SN_TESTS_MOTION_FILES_H

#include "helpers/check.h"

#include "base/affine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDER_BYTES = 512 };
static char folder[FOLDER_BYTES]; /* of this run, the same on all ranks */

static inline int my_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* Collective, as all of these. */
static inline void make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.400s/sinew-motion-XXXXXX", parent ? parent : "/tmp");
    if (my_rank() == 0)
        CHECK(mkdtemp(folder), "cannot make %s", folder);
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
}

typedef struct {
    char text[FOLDER_BYTES + 64];
} file_name;

static inline file_name file_in_folder(const char *name)
{
    file_name path;
    snprintf(path.text, sizeof path.text, "%s/%.60s", folder, name);
    return path;
}

static inline void write_bytes(const char *name, const void *data, size_t bytes)
{
    if (my_rank() == 0) {
        FILE *file = fopen(file_in_folder(name).text, "wb");
        CHECK(file && fwrite(data, 1, bytes, file) == bytes, "writing %s", name);
        if (file)
            fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static inline void remove_file(const char *name)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank() == 0)
        CHECK(remove(file_in_folder(name).text) == 0, "removing %s", name);
}

static inline void remove_folder(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank() == 0)
        CHECK(rmdir(folder) == 0, "%s is not empty", folder);
}

static inline double pose_difference(const sn_affine *a, const sn_affine *b)
{
    double most = 0;
    for (int i = 0; i < 12; i++) {
        double difference = fabs(a->row[i / 4][i % 4] - b->row[i / 4][i % 4]);
        if (!(difference <= most))
            most = difference;
    }
    return most;
}

#endif
