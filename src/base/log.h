/* The log: one line a message, with the seconds since the start, the rank and the place.
 *
 * Lines go to standard error; standard output is for results. sn_info and sn_note speak on
 * rank 0 only (sn_note when verbose), sn_warn on whichever rank calls it. Rank 0's lines can be
 * kept in a file as well, with those from before it was known where. */
#ifndef SN_BASE_LOG_H
#define SN_BASE_LOG_H

#include <mpi.h>
#include <stdbool.h>

typedef enum { SN_LOG_NOTE, SN_LOG_INFO, SN_LOG_WARNING, SN_LOG_ERROR } sn_log_severity;

/* Before the first message; MPI must be up. */
void sn_log_open(MPI_Comm comm, bool verbose);

/* Rank 0's lines so far and from now on go to this file, too, after what it has. If they can't be
 * written, or what has that name is a link, there is one warning, and no file. Does nothing on
 * other ranks. */
void sn_log_keep(const char *path);

/* At the end; no file is kept any more. */
void sn_log_close(void);

#define sn_note(...) sn_log(SN_LOG_NOTE, __FILE__, __LINE__, __VA_ARGS__)
#define sn_info(...) sn_log(SN_LOG_INFO, __FILE__, __LINE__, __VA_ARGS__)
#define sn_warn(...) sn_log(SN_LOG_WARNING, __FILE__, __LINE__, __VA_ARGS__)

void sn_log(sn_log_severity severity, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Collective after sn_agree: rank 0 shows the failure that all ranks hold. */
void sn_log_failure(void);

/* Ends the whole job at once: for what no rank can recover from. */
_Noreturn void sn_abort(int exit_status, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
