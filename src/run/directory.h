/* The run directory: where a run's files go (io/RUN_DIRECTORY.md has them all).
 *
 * Knows when a directory may be used: one run at a time holds it (run/hold.h), what another run
 * left there is not written over unless that was asked for, and the scene that is being run and
 * what no run wrote (run/manifest.h) never is. No link in it is followed by what writes; the
 * directory itself may be one. */
#ifndef SN_RUN_DIRECTORY_H
#define SN_RUN_DIRECTORY_H

#include "io/scene/scene.h"
#include "run/hold.h"

/* Room for the directory's name and a file's in it. */
enum { SN_RUN_PATH_BYTES = 4096 };

typedef struct {
    char path[SN_RUN_PATH_BYTES];
} sn_run_path;

/* The path of a file in the scene's run directory; one that is too long is cut off, which
 * sn_run_directory_enter does not let happen. */
sn_run_path sn_run_file(const sn_scene *scene, const char *name);

typedef enum {
    SN_RUN_NEW,       /* there must be no other run's files */
    SN_RUN_OVERWRITE, /* they are written over, or removed where they would be mistaken */
    SN_RUN_GO_ON,     /* they are this run's */
} sn_run_mode;

/* Collective, as all below. Fails if the run can't or mustn't write there: another run lives there,
 * or has left its files, or files are in the way that no run's manifest names. A directory that
 * is there is held from now on; nothing else is made. SN_RUN_GO_ON becomes SN_RUN_NEW where there
 * is nothing to go on with. */
SN_CHECKED sn_status sn_run_directory_enter(const sn_scene *scene, sn_run_mode *mode, bool by_force,
                                            sn_hold *hold);

/* Makes and holds the directory, if there was none, with manifest and scene.yaml, and keeps the log
 * in log.txt. What killed runs left half written is removed. */
SN_CHECKED sn_status sn_run_directory_open(const sn_scene *scene, sn_run_mode mode, sn_hold *hold);

/* timing.csv: the timers so far. */
SN_CHECKED sn_status sn_run_directory_timing(MPI_Comm comm, const sn_scene *scene);

#endif
