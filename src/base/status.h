/* How things fail.
 *
 * A function that can fail returns a status; the values are also the program's exit
 * statuses. SN_FAIL keeps one message, with its place, on the rank where it happened.
 * sn_agree makes the ranks of a communicator go on together: all return the same status,
 * and all hold the message of the first rank that failed, so that it is shown once.
 *
 * Running out of memory is not a status: no rank can be sure to reach the next collective
 * call then, so the allocator ends the whole job (array.h). */
#ifndef SN_BASE_STATUS_H
#define SN_BASE_STATUS_H

#include <mpi.h>

typedef enum {
    SN_OK = 0,
    SN_BAD_INPUT = 1,  /* the scene or the arguments are wrong */
    SN_MACHINE = 2,    /* disk, memory or file let us down */
    SN_STOPPED = 3,    /* stopped early, can be restarted */
    SN_INACCURATE = 4, /* finished, but a frame did not meet its tolerance */
    SN_STATUSES,       /* how many there are */
} sn_status;

/* The same in a few words, for people. */
const char *sn_status_meaning(sn_status status);

#define SN_CHECKED __attribute__((warn_unused_result))

/* Keeps the message of a failure and returns `code`. A later failure replaces it. */
#define SN_FAIL(code, ...) sn_fail(code, __FILE__, __LINE__, __VA_ARGS__)
sn_status sn_fail(sn_status code, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The kept message, "" if nothing failed; and where it came from, as file:line. */
const char *sn_failure_message(void);
const char *sn_failure_place(void);

/* Collective: the failure of the lowest rank that has one becomes everybody's. */
SN_CHECKED sn_status sn_agree(MPI_Comm comm, sn_status mine);

/* Hands a failure on to the caller. */
#define SN_TRY(call)                                                                               \
    do {                                                                                           \
        sn_status sn_try_status = (call);                                                          \
        if (sn_try_status != SN_OK)                                                                \
            return sn_try_status;                                                                  \
    } while (0)

#endif
