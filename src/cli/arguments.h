/* What the arguments of several commands have in common: asking for help, and -P. */
#ifndef SN_CLI_ARGUMENTS_H
#define SN_CLI_ARGUMENTS_H

#include "base/array.h"
#include "io/scene/scene.h"

#include <stdbool.h>

/* --help or -h, anywhere. */
bool sn_asks_for_help(int argc, char **argv);

/* Values for keys of a scene, as key=value. Starts as zero. */
typedef struct {
    SN_VECTOR(const char *) list; /* copies */
} sn_overrides;

/* What follows -P on a command line: NULL if nothing does, which is refused. */
SN_CHECKED sn_status sn_overrides_take(const char *command, const char *text, sn_overrides *o);
void sn_overrides_add(sn_overrides *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sn_overrides_free(sn_overrides *o);

/* Collective: the scene with these values. */
SN_CHECKED sn_status sn_overrides_read_scene(MPI_Comm comm, const char *path, const sn_overrides *o,
                                             sn_scene *scene);

#endif
