#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_BYTES = 1024, PLACE_BYTES = 128 };

/* What failed last on this rank; part of the log, which is allowed to be global. */
static struct {
    char message[MESSAGE_BYTES];
    char place[PLACE_BYTES];
} failure;

sn_status sn_fail(sn_status code, const char *file, int line, const char *format, ...)
{
    /* The arguments may point into the old message. */
    char message[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    memcpy(failure.message, message, sizeof message);
    const char *slash = strrchr(file, '/');
    snprintf(failure.place, sizeof failure.place, "%s:%d", slash ? slash + 1 : file, line);
    return code;
}

const char *sn_status_meaning(sn_status status)
{
    static const char *const meanings[SN_STATUSES] = {
        [SN_OK] = "done",
        [SN_BAD_INPUT] = "the scene or the arguments are wrong",
        [SN_MACHINE] = "the machine failed (disk, memory, file)",
        [SN_STOPPED] = "stopped early and restartable",
        [SN_INACCURATE] = "finished, but a frame did not meet its tolerance"};
    return meanings[status];
}

const char *sn_failure_message(void)
{
    return failure.message;
}

const char *sn_failure_place(void)
{
    return failure.place;
}

sn_status sn_agree(MPI_Comm comm, sn_status mine)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int mine_or_none = mine == SN_OK ? size : rank, first;
    MPI_Allreduce(&mine_or_none, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == size)
        return SN_OK;
    int code = mine;
    MPI_Bcast(&code, 1, MPI_INT, first, comm);
    MPI_Bcast(&failure, sizeof failure, MPI_BYTE, first, comm);
    return (sn_status)code;
}
