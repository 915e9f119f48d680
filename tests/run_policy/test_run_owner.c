/* Whose a directory and a file are: owners as texts, when they are gone, and the names of files
 * that are being written. */
#include "helpers/check.h"

#include "base/array.h"
#include "io/text/part_file.h"
#include "run/manifest.h"
#include "run/owner.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void texts(void)
{
    sn_owner me = sn_owner_me(), other = sn_owner_me(), read;
    sn_owner_text text = sn_owner_write(&me), again;
    CHECK(sn_owner_read(text.text, &read), "%s", text.text);
    again = sn_owner_write(&read);
    CHECK(strcmp(text.text, again.text) == 0, "%s", again.text);
    CHECK(strcmp(me.token, other.token) != 0, "two owners with the token %s", me.token);
    for (size_t length = 0; length + 1 < strlen(text.text); length++) {
        sn_owner_text part = text;
        part.text[length] = '\0';
        CHECK(!sn_owner_read(part.text, &read), "%zu characters are taken for all", length);
    }
}

static void processes(void)
{
    sn_owner me = sn_owner_me(), owner = me;
    CHECK(!sn_owner_is_gone(&owner, &me, 0), "this process lives");
    CHECK(!sn_owner_is_gone(&owner, &me, SN_OWNER_SILENCE + 1), "it is silent, and lives");
    owner.started++;
    CHECK(sn_owner_is_gone(&owner, &me, 0), "another process had the number");
    owner = me;
    owner.process = (long)fork();
    if (owner.process == 0)
        _exit(0);
    siginfo_t about;
    waitid(P_PID, (id_t)owner.process, &about, WEXITED | WNOWAIT);
    CHECK(sn_owner_is_gone(&owner, &me, 0), "it has ended, and nobody has heard of it");
    waitpid((pid_t)owner.process, NULL, 0);
    CHECK(sn_owner_is_gone(&owner, &me, 0), "there is none of that number");
    snprintf(owner.machine, sizeof owner.machine, "unknown/unknown");
    me = owner;
    CHECK(!sn_owner_is_gone(&owner, &me, 0), "two machines that could not tell who they are");
}

static sn_owner of_job(const char *job, int turn)
{
    sn_owner owner = sn_owner_me();
    snprintf(owner.machine, sizeof owner.machine, "elsewhere");
    snprintf(owner.job, sizeof owner.job, "%s", job);
    owner.turn = turn;
    return owner;
}

static void other_hosts(void)
{
    sn_owner me = sn_owner_me(), owner = of_job("none", 0);
    CHECK(!sn_owner_is_gone(&owner, &me, SN_OWNER_SILENCE), "it may live");
    CHECK(sn_owner_is_gone(&owner, &me, SN_OWNER_SILENCE + 1), "it was silent for too long");
    CHECK(!sn_owner_is_gone(&owner, &me, -1000), "clocks that differ");
    sn_owner first = of_job("film/7", 0), second = of_job("film/7", 1), other = of_job("film/8", 1);
    snprintf(first.machine, sizeof first.machine, "yonder");
    CHECK(sn_owner_is_gone(&first, &second, 0), "a later turn");
    CHECK(!sn_owner_is_gone(&second, &first, 0), "an earlier turn");
    CHECK(!sn_owner_is_gone(&first, &other, 0), "another job");
    owner.turn = -1;
    CHECK(!sn_owner_is_gone(&owner, &me, 0), "no jobs at all");
}

static void parts(void)
{
    static const char *const names[] = {"frames.csv", "a", "surface_0001.vtkhdf", "a-1.part"};
    static const char *const others[] = {"",          ".part",         "a.part",    "a.b.part",
                                         "a.b-.part", "a.-1.part",     "b-1.part",  ".b-1.part",
                                         "a.b-1",     "a.b-1.part.gz", "a.b-x.part"};
    for (int i = 0; i < 4; i++) {
        char *part = sn_part_path(names[i]);
        CHECK(sn_part_stem(part) == strlen(names[i]), "%s", part);
        sn_free(part);
    }
    for (int i = 0; i < 11; i++)
        CHECK(sn_part_stem(others[i]) == 0, "%s", others[i]);
}

static void manifests(void)
{
    sn_manifest none = {0}, some = {true, 3, 6}, more = {true, 5, 9};
    sn_manifest joined = sn_manifest_join(&some, &more), same = sn_manifest_join(&none, &some);
    CHECK(joined.first == 3 && joined.last == 9, "%d to %d", joined.first, joined.last);
    CHECK(same.exists && same.first == 3 && same.last == 6, "%d to %d", same.first, same.last);
    static const char *const ours[] = {"scene.yaml",         "surface_0003.vtkhdf",
                                       "octree_0006.vtkhdf", "checkpoint_0004_s02.h5",
                                       "preview_0005.png",   "log.txt.host-9.part"};
    static const char *const others[] = {"scene.yml",
                                         "surface_0002.vtkhdf",
                                         "octree_0007.vtkhdf",
                                         "surface_3.vtkhdf",
                                         "../log.txt",
                                         "stop",
                                         "held_by.txt",
                                         "preview_0005.png.part",
                                         "notes.txt.host-9.part",
                                         ""};
    for (int i = 0; i < 6; i++)
        CHECK(sn_manifest_has(&some, ours[i]) && !sn_manifest_has(&none, ours[i]), "%s", ours[i]);
    for (int i = 0; i < 10; i++)
        CHECK(!sn_manifest_has(&some, others[i]), "%s", others[i]);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    texts();
    processes();
    other_hosts();
    parts();
    manifests();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
