/* A run holds its directory: no other run writes there as long as it lives.
 *
 *     held_by.txt              says who (run/owner.h); its time is the owner's last sign of life
 *     held_by.TOKEN.txt        who takes over from the owner with that token, for an instant
 *
 * No locks of the system: these fail in silence on some network file systems. What is relied on is
 * that of two programs which make a file of one name, both insisting that it is new, one fails, and
 * that a name changes its file at once. A directory is taken over from an owner that is gone by
 * making the file that names its token. There is only one, so there is only one heir; it then gives
 * its file the first name. An heir that dies in between is itself an owner that is gone: whoever
 * stands last in the chain holds the directory. Who finds, having made such a file, that the chain
 * has changed meanwhile takes it back and looks again. */
#ifndef SN_RUN_HOLD_H
#define SN_RUN_HOLD_H

#include "base/status.h"
#include "run/heartbeat.h"
#include "run/owner.h"

#include <mpi.h>
#include <stdbool.h>
#include <sys/stat.h>

#define SN_HOLD_FILE "held_by.txt"

typedef struct {
    MPI_Comm comm;
    const char *directory; /* the caller's */
    int descriptor;        /* of the file; -1 if nothing is held, and on all ranks but the first */
    sn_owner owner;
    sn_heartbeat *beat;
    const char *mark;   /* a file that every run writes anew when it begins; NULL: not yet, */
    struct stat marked; /* and what it was when this one had */
} sn_hold;

/* One that holds nothing. */
sn_hold sn_hold_nothing(MPI_Comm comm, const char *directory);

/* Collective. SN_BAD_INPUT, with the owner in the message, if another run holds the directory and
 * is not surely gone; `by_force` takes it from any. A directory that is held already stays so. */
SN_CHECKED sn_status sn_hold_take(sn_hold *hold, bool by_force);

/* Not collective. This run has begun, and has written the file of that name, which must stay a
 * name: another that begins in the directory replaces it. */
void sn_hold_begun(sn_hold *hold, const char *mark);

/* Collective. SN_MACHINE, with the new owner, if the directory was taken from this run: it must not
 * write there any more, even if that owner has come to its end. A file that somebody removed is
 * made again. */
SN_CHECKED sn_status sn_hold_check(sn_hold *hold);

/* Not collective. Gives up what is held, if it still is. */
void sn_hold_release(sn_hold *hold);

#endif
