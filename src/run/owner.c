#include "run/owner.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* ---- This process ---- */

static const char UNKNOWN[] = "unknown";

/* The first word of a file, if there is one. */
static void read_word(const char *path, char word[SN_OWNER_WORD_BYTES])
{
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%40s", word) != 1)
        snprintf(word, SN_OWNER_WORD_BYTES, "%s", UNKNOWN);
    if (file)
        fclose(file);
}

/* The same process number may be another process's in another container. */
static void name_machine(char machine[SN_OWNER_WORD_BYTES])
{
    char boot[SN_OWNER_WORD_BYTES], space[32];
    read_word("/proc/sys/kernel/random/boot_id", boot);
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[length > 0 ? length : 0] = '\0';
    snprintf(machine, SN_OWNER_WORD_BYTES, "%.40s/%s", boot, length > 0 ? space : UNKNOWN);
}

static void name_job(char job[SN_OWNER_WORD_BYTES])
{
    const char *number = getenv("SLURM_JOB_ID"), *cluster = getenv("SLURM_CLUSTER_NAME");
    if (number && *number)
        snprintf(job, SN_OWNER_WORD_BYTES, "%.40s/%.20s", cluster ? cluster : "", number);
    else
        snprintf(job, SN_OWNER_WORD_BYTES, "none");
}

static int turn_of_job(void)
{
    const char *count = getenv("SLURM_RESTART_COUNT");
    return count ? atoi(count) : 0;
}

/* When a process was started, and whether it still runs: one that has ended may wait for its parent
 * to hear of it. See proc(5); the name in parentheses may have blanks. */
static bool look_at_process(long process, uint64_t *started)
{
    char path[64], line[1024], state = 'X';
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    char *text = file ? fgets(line, sizeof line, file) : NULL;
    if (file)
        fclose(file);
    text = text ? strrchr(text, ')') : NULL;
    if (!text || sscanf(text,
                        ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                        "%*s %" SCNu64,
                        &state, started) != 2)
        return false;
    return state != 'Z' && state != 'X';
}

static void draw_token(char token[SN_OWNER_TOKEN_BYTES])
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        number = (uint64_t)time(NULL) << 32 ^ (uint64_t)getpid();
    snprintf(token, SN_OWNER_TOKEN_BYTES, "%016" PRIx64, number);
}

sn_owner sn_owner_me(void)
{
    sn_owner me = {.process = (long)getpid(), .turn = turn_of_job()};
    time_t now = time(NULL);
    struct tm utc;
    if (gethostname(me.host, sizeof me.host - 1) != 0 || !me.host[0])
        snprintf(me.host, sizeof me.host, "%s", UNKNOWN);
    name_machine(me.machine);
    name_job(me.job);
    look_at_process(me.process, &me.started);
    strftime(me.since, sizeof me.since, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    draw_token(me.token);
    return me;
}

/* ---- Texts ---- */

sn_owner_text sn_owner_write(const sn_owner *o)
{
    sn_owner_text t;
    snprintf(t.text, sizeof t.text,
             "A run of sinew holds this directory.\nhost %s\nmachine %s\nprocess %ld\n"
             "started %" PRIu64 "\njob %s\nturn %d\nsince %s\ntoken %s\nend\n",
             o->host, o->machine, o->process, o->started, o->job, o->turn, o->since, o->token);
    return t;
}

static bool is_token(const char *token)
{
    return strlen(token) == SN_OWNER_TOKEN_BYTES - 1 &&
           strspn(token, "0123456789abcdef") == SN_OWNER_TOKEN_BYTES - 1;
}

bool sn_owner_read(const char *text, sn_owner *o)
{
    *o = (sn_owner){0};
    char end[4] = "";
    int read = sscanf(text,
                      "A run of sinew holds this directory.\nhost %95s machine %95s process %ld "
                      "started %" SCNu64 " job %95s turn %d since %95s token %16s %3s",
                      o->host, o->machine, &o->process, &o->started, o->job, &o->turn, o->since,
                      o->token, end);
    return read == 9 && strcmp(end, "end") == 0 && is_token(o->token);
}

sn_owner_text sn_owner_describe(const sn_owner *o)
{
    sn_owner_text t;
    bool in_job = strcmp(o->job, "none") != 0;
    snprintf(t.text, sizeof t.text, "process %ld on %s%s%s, since %s", o->process, o->host,
             in_job ? " of job " : "", in_job ? o->job : "", o->since);
    return t;
}

/* ---- Is it gone? ---- */

static bool is_later_turn(const sn_owner *me, const sn_owner *owner)
{
    return strcmp(me->job, "none") != 0 && strcmp(me->job, owner->job) == 0 &&
           me->turn > owner->turn;
}

/* Machines that could not tell who they are may be any two. */
static bool is_same_machine(const sn_owner *a, const sn_owner *b)
{
    return strcmp(a->machine, b->machine) == 0 && !strstr(a->machine, UNKNOWN);
}

/* One that can't be looked at may still live: some systems hide the processes of other users. */
static bool process_has_ended(const sn_owner *owner)
{
    uint64_t started = 0;
    if (look_at_process(owner->process, &started))
        return started != owner->started;
    bool nobody_has_heard = started > 0;
    return nobody_has_heard || (kill((pid_t)owner->process, 0) != 0 && errno != EPERM);
}

/* One that sleeps, or whose clock was set, is silent and lives. */
static bool process_is_seen(const sn_owner *owner)
{
    uint64_t started = 0;
    return look_at_process(owner->process, &started) && started == owner->started;
}

bool sn_owner_is_gone(const sn_owner *owner, const sn_owner *me, double silence)
{
    bool here = is_same_machine(owner, me);
    if (is_later_turn(me, owner))
        return true;
    if (here && process_is_seen(owner))
        return false;
    return (here && process_has_ended(owner)) || silence > SN_OWNER_SILENCE;
}
