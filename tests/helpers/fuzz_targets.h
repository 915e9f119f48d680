/* What is fuzzed: the readers of everything that a scene can name, and of what lies in a run
 * directory. A target gets any bytes, and may neither crash, hang, leak nor take memory without
 * end; what it makes of them does not matter. */
#ifndef SN_TESTS_FUZZ_TARGETS_H
#define SN_TESTS_FUZZ_TARGETS_H

#include "helpers/mesh_samples.h"

#include "base/status.h"

#include <stdbool.h>

typedef struct {
    const char *name;
    /* A zero byte follows the last one. SN_OK if they are a good file. */
    sn_status (*read)(char *data, size_t bytes);
    /* Good files to start from, from 0 on. */
    int n_seeds;
    sample (*seed)(int i);
    bool agrees; /* the reader is collective, and wants MPI */
} fuzz_target;

enum { FUZZ_TARGETS = 15 };
extern const fuzz_target fuzz_targets[FUZZ_TARGETS];

/* Those of glTF files (fuzz_gltf.c). */
sn_status fuzz_read_gltf(char *data, size_t bytes);
sn_status fuzz_read_rig(char *data, size_t bytes);
sample fuzz_seed_gltf(int i);
sample fuzz_seed_rig(int i);

/* Those of a run directory (fuzz_run_files.c, fuzz_frames.c). They may change their bytes. */
sn_status fuzz_read_owner(char *data, size_t bytes);
sn_status fuzz_read_manifest(char *data, size_t bytes);
sn_status fuzz_read_frame(char *data, size_t bytes);
sn_status fuzz_read_meshes(char *data, size_t bytes);
sn_status fuzz_read_cells(char *data, size_t bytes);
sn_status fuzz_read_rows(char *data, size_t bytes);
sn_status fuzz_read_faults(char *data, size_t bytes);
sample fuzz_seed_owner(int i);
sample fuzz_seed_manifest(int i);
sample fuzz_seed_frame(int i);
sample fuzz_seed_meshes(int i);
sample fuzz_seed_cells(int i);
sample fuzz_seed_rows(int i);
sample fuzz_seed_faults(int i);

/* For readers that want a file, in a folder of their own. */
enum { FUZZ_FOLDER_BYTES = 128 };
void fuzz_write_bytes(const char *path, const char *data, size_t bytes);
void fuzz_make_folder(char folder[FUZZ_FOLDER_BYTES]);

#endif
