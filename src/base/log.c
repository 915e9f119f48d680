#include "base/log.h"

#include "base/status.h"
#include "base/timer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 2048, EARLY_BYTES = 1 << 16 };

static struct {
    int rank;
    bool verbose;
    FILE *file;              /* or NULL */
    size_t early_count;      /* of bytes from before there was a file */
    char early[EARLY_BYTES]; /* what does not fit is not kept */
} log_state;

void sn_log_open(MPI_Comm comm, bool verbose)
{
    MPI_Comm_rank(comm, &log_state.rank);
    log_state.verbose = verbose;
    sn_timer_reset();
}

/* The file is gone first: the warning itself must not be written to it. */
static void stop_keeping(const char *what)
{
    int reason = errno;
    sn_log_close();
    sn_warn("%s: %s", what, strerror(reason));
}

/* Never through a link, and without waiting, as for a pipe that nobody reads. */
static FILE *open_to_append(const char *path)
{
    int mode = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int descriptor = open(path, mode, 0666);
    return descriptor >= 0 ? fdopen(descriptor, "a") : NULL;
}

void sn_log_keep(const char *path)
{
    sn_log_close();
    if (log_state.rank != 0)
        return;
    log_state.file = open_to_append(path);
    if (!log_state.file) {
        stop_keeping(path);
        return;
    }
    size_t count = log_state.early_count;
    log_state.early_count = 0;
    if (fwrite(log_state.early, 1, count, log_state.file) != count || fflush(log_state.file) != 0)
        stop_keeping(path);
}

void sn_log_close(void)
{
    if (log_state.file)
        fclose(log_state.file);
    log_state.file = NULL;
}

static const char *severity_word(sn_log_severity severity)
{
    switch (severity) {
    case SN_LOG_WARNING:
        return "warning: ";
    case SN_LOG_ERROR:
        return "error: ";
    default:
        return "";
    }
}

static void keep_line(const char *line)
{
    size_t bytes = strlen(line);
    if (log_state.file) {
        if (fwrite(line, 1, bytes, log_state.file) != bytes || fflush(log_state.file) != 0)
            stop_keeping("the log cannot be written");
    } else if (log_state.early_count + bytes <= EARLY_BYTES) {
        memcpy(log_state.early + log_state.early_count, line, bytes);
        log_state.early_count += bytes;
    }
}

/* One write a line, so that lines of several ranks don't mix. */
static void write_line(sn_log_severity severity, const char *place, const char *message)
{
    char line[LINE_BYTES];
    snprintf(line, sizeof line, "%9.3f s  r%-4d %-18s %s%s\n", sn_timer_elapsed(), log_state.rank,
             place, severity_word(severity), message);
    fputs(line, stderr);
    fflush(stderr);
    if (log_state.rank == 0)
        keep_line(line);
}

static void write_message(sn_log_severity severity, const char *file, int line, const char *format,
                          va_list arguments)
{
    char message[LINE_BYTES / 2], place[64];
    const char *slash = strrchr(file, '/');
    snprintf(place, sizeof place, "%s:%d", slash ? slash + 1 : file, line);
    vsnprintf(message, sizeof message, format, arguments);
    write_line(severity, place, message);
}

void sn_log(sn_log_severity severity, const char *file, int line, const char *format, ...)
{
    if (severity == SN_LOG_NOTE && !log_state.verbose)
        return;
    if (severity < SN_LOG_WARNING && log_state.rank != 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    write_message(severity, file, line, format, arguments);
    va_end(arguments);
}

void sn_log_failure(void)
{
    if (log_state.rank == 0)
        write_line(SN_LOG_ERROR, sn_failure_place(), sn_failure_message());
}

/* Alone there is nobody to end with MPI_Abort, whose daemon may be short of memory as well. */
static bool is_alone(void)
{
    int started = 0, ended = 0, size = 1;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (started && !ended)
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size == 1;
}

void sn_abort(int exit_status, const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_message(SN_LOG_ERROR, file, line, format, arguments);
    va_end(arguments);
    if (!is_alone())
        MPI_Abort(MPI_COMM_WORLD, exit_status);
    _exit(exit_status); /* whatever would run at a normal exit may need what is missing */
}
