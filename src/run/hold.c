#include "run/hold.h"

#include "base/array.h"
#include "base/log.h"
#include "io/text/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4352, LONGEST_SHOWN = 300, LONGEST_CHAIN = 64, MOST_ATTEMPTS = 100 };

/* Whoever makes a file writes it at once; one that can't be read after so long is no owner's. */
enum { MOST_READS = 20, READ_AGAIN_MS = 50 };

typedef struct {
    char text[PATH_BYTES];
} hold_path;

/* The file of who takes over from a token; the first of all for "". */
static hold_path path_of(const sn_hold *h, const char *token)
{
    hold_path p;
    if (*token)
        snprintf(p.text, sizeof p.text, "%s/held_by.%s.txt", h->directory, token);
    else
        snprintf(p.text, sizeof p.text, "%s/" SN_HOLD_FILE, h->directory);
    return p;
}

static sn_status fail(const sn_hold *h, const char *what)
{
    return SN_FAIL(SN_MACHINE, "%.*s: %s: %s", LONGEST_SHOWN, h->directory, what, strerror(errno));
}

/* ---- Reading ---- */

typedef struct {
    sn_owner owner;
    double touched; /* by the file system's clock */
} owner_file;

typedef enum { NO_FILE, AN_OWNER, NO_OWNER } found_file;

static double seconds_of(struct timespec t)
{
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static found_file read_once(const char *path, owner_file *file)
{
    char text[SN_OWNER_TEXT_BYTES];
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return errno == ENOENT || errno == ESTALE ? NO_FILE : NO_OWNER;
    ssize_t bytes = read(descriptor, text, sizeof text - 1);
    bool known = bytes > 0 && fstat(descriptor, &about) == 0;
    close(descriptor);
    if (!known)
        return NO_OWNER;
    text[bytes] = '\0';
    file->touched = seconds_of(about.st_mtim);
    return sn_owner_read(text, &file->owner) ? AN_OWNER : NO_OWNER;
}

static found_file read_owner(const char *path, owner_file *file)
{
    const struct timespec pause = {.tv_nsec = READ_AGAIN_MS * 1000000L};
    found_file found = read_once(path, file);
    for (int again = 0; found == NO_OWNER && again < MOST_READS; again++) {
        nanosleep(&pause, NULL);
        found = read_once(path, file);
    }
    return found;
}

/* ---- The chain ---- */

/* Who took over from whom; the last one holds the directory. */
typedef struct {
    int n;
    owner_file file[LONGEST_CHAIN];
    bool broken; /* a file in it is no owner's */
} chain;

static const char *last_token(const chain *c)
{
    return c->n > 0 ? c->file[c->n - 1].owner.token : "";
}

static void follow(const sn_hold *h, chain *c)
{
    found_file found = AN_OWNER;
    for (c->n = 0; c->n < LONGEST_CHAIN; c->n++) {
        found = read_owner(path_of(h, last_token(c)).text, &c->file[c->n]);
        if (found != AN_OWNER)
            break;
    }
    c->broken = found != NO_FILE;
}

static bool ends_with_me(const sn_hold *h, const chain *c)
{
    return !c->broken && strcmp(last_token(c), h->owner.token) == 0;
}

/* ---- Is the last one gone? ---- */

/* The file system's time now: the server's and this host's clock may differ. */
static double time_there(const sn_hold *h)
{
    char *part = sn_part_path(path_of(h, "").text);
    int descriptor = sn_part_make(part);
    struct stat about;
    bool known = descriptor >= 0 && fstat(descriptor, &about) == 0;
    if (descriptor >= 0)
        close(descriptor);
    unlink(part);
    sn_free(part);
    return known ? seconds_of(about.st_mtim) : (double)time(NULL);
}

static sn_status require_gone(const sn_hold *h, const chain *c)
{
    const owner_file *last = &c->file[c->n - 1];
    double silence = time_there(h) - last->touched;
    if (sn_owner_is_gone(&last->owner, &h->owner, silence))
        return SN_OK;
    return SN_FAIL(SN_BAD_INPUT,
                   "'%.*s' is held by another run: %s; its last sign of life was %.0f s ago (if it "
                   "is surely gone: --take-over)",
                   LONGEST_SHOWN, h->directory, sn_owner_describe(&last->owner).text,
                   silence > 0 ? silence : 0);
}

/* Nobody knows whose a file is that can't be read: only force removes it. */
static sn_status mend(const sn_hold *h, const chain *c, bool by_force)
{
    hold_path path = path_of(h, last_token(c));
    if (by_force && unlink(path.text) == 0)
        return SN_OK;
    return SN_FAIL(SN_BAD_INPUT,
                   "%.*s does not say which run holds the directory: remove it, if none does",
                   LONGEST_SHOWN, path.text);
}

/* ---- Taking ---- */

static void discard(sn_hold *h, const char *path)
{
    unlink(path);
    close(h->descriptor);
    h->descriptor = -1;
}

/* `late` says that somebody else was faster. */
static sn_status make_file(sn_hold *h, const char *path, bool *late)
{
    sn_owner_text text = sn_owner_write(&h->owner);
    size_t bytes = strlen(text.text);
    h->descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    *late = h->descriptor < 0 && errno == EEXIST;
    if (*late)
        return SN_OK;
    bool written = h->descriptor >= 0 && write(h->descriptor, text.text, bytes) == (ssize_t)bytes &&
                   fsync(h->descriptor) == 0;
    sn_status status = written ? SN_OK : fail(h, "cannot be held");
    if (!written && h->descriptor >= 0)
        discard(h, path);
    return status;
}

/* The chain ends here: it becomes one of one. */
static sn_status become_first(sn_hold *h, const chain *c)
{
    hold_path first = path_of(h, "");
    for (int i = c->n - 2; i >= 0; i--) {
        hold_path path = path_of(h, c->file[i].owner.token);
        if (i == c->n - 2 ? rename(path.text, first.text) != 0 : unlink(path.text) != 0)
            return fail(h, "cannot be held");
    }
    return SN_OK;
}

/* One try after the chain was looked at; SN_OK with nothing held if it has changed meanwhile. */
static sn_status take_after(sn_hold *h, const chain *before)
{
    bool late;
    chain now;
    hold_path path = path_of(h, last_token(before));
    SN_TRY(make_file(h, path.text, &late));
    if (late)
        return SN_OK;
    follow(h, &now);
    if (ends_with_me(h, &now))
        return become_first(h, &now);
    discard(h, path.text);
    return SN_OK;
}

static sn_status take(sn_hold *h, bool by_force)
{
    chain c;
    h->owner = sn_owner_me();
    for (int attempt = 0; h->descriptor < 0 && attempt < MOST_ATTEMPTS; attempt++) {
        follow(h, &c);
        if (c.broken)
            SN_TRY(mend(h, &c, by_force));
        else if (c.n > 0 && !by_force)
            SN_TRY(require_gone(h, &c));
        if (!c.broken)
            SN_TRY(take_after(h, &c));
    }
    if (h->descriptor < 0)
        return SN_FAIL(SN_MACHINE, "%.*s: too many runs want to hold it", LONGEST_SHOWN,
                       h->directory);
    h->beat = sn_heartbeat_start(h->descriptor, SN_OWNER_BEATS_EVERY);
    return h->beat ? SN_OK : SN_FAIL(SN_MACHINE, "no thread can be started for signs of life");
}

/* ---- In use ---- */

static bool is_first(const sn_hold *h)
{
    int rank;
    MPI_Comm_rank(h->comm, &rank);
    return rank == 0;
}

sn_hold sn_hold_nothing(MPI_Comm comm, const char *directory)
{
    return (sn_hold){.comm = comm, .directory = directory, .descriptor = -1};
}

sn_status sn_hold_take(sn_hold *h, bool by_force)
{
    bool wants = is_first(h) && h->descriptor < 0;
    sn_status status = sn_agree(h->comm, wants ? take(h, by_force) : SN_OK);
    if (status != SN_OK)
        sn_hold_release(h);
    return status;
}

/* By the file's name or its contents nobody could tell: files are replaced as wholes. */
static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           seconds_of(a->st_mtim) == seconds_of(b->st_mtim);
}

static hold_path mark_of(const sn_hold *h)
{
    hold_path p;
    snprintf(p.text, sizeof p.text, "%s/%s", h->directory, h->mark);
    return p;
}

void sn_hold_begun(sn_hold *h, const char *mark)
{
    h->mark = mark;
    if (stat(mark_of(h).text, &h->marked) != 0)
        h->mark = NULL;
}

static bool another_began(const sn_hold *h)
{
    struct stat now;
    return h->mark && (stat(mark_of(h).text, &now) != 0 || !is_same_file(&now, &h->marked));
}

static sn_status check(sn_hold *h)
{
    chain c;
    follow(h, &c);
    if (ends_with_me(h, &c))
        return SN_OK;
    if (c.n > 0)
        return SN_FAIL(SN_MACHINE, "'%.*s' was taken over by another run: %s", LONGEST_SHOWN,
                       h->directory, sn_owner_describe(&c.file[c.n - 1].owner).text);
    if (another_began(h))
        return SN_FAIL(SN_MACHINE, "'%.*s' was taken over by another run, which has ended since",
                       LONGEST_SHOWN, h->directory);
    sn_warn("%s was removed while the run was under way", path_of(h, "").text);
    sn_hold_release(h);
    return take(h, false);
}

sn_status sn_hold_check(sn_hold *h)
{
    return sn_agree(h->comm, h->descriptor >= 0 ? check(h) : SN_OK);
}

void sn_hold_release(sn_hold *h)
{
    owner_file file;
    hold_path path = path_of(h, "");
    sn_heartbeat_stop(h->beat);
    h->beat = NULL;
    if (h->descriptor < 0)
        return;
    if (read_once(path.text, &file) == AN_OWNER && strcmp(file.owner.token, h->owner.token) == 0)
        unlink(path.text);
    close(h->descriptor);
    h->descriptor = -1;
}
