/* The scene reader on broken scenes: the example with random bytes changed, cut or copied.
 * Nothing may crash, leak or print; a scene that is accepted must read back when written. */
#include "helpers/check.h"
#include "helpers/scene_text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { ROUNDS = 2000, FEW_ROUNDS = 300, MOST_EDITS = 4, ROOM = 8192 };

static size_t pick(unsigned long long *state, size_t count)
{
    return (size_t)(test_random(state) * (double)count);
}

static const char useful[] = "{}[]:,-#&*!|>'\"%@`\n\t ~.0123456789eE+<xn\\\r\x80\xff";

/* One random edit; the new length. */
static size_t edit(char *text, size_t length, unsigned long long *state)
{
    size_t at = pick(state, length);
    switch (pick(state, 5)) {
    case 0: /* another byte */
        text[at] = useful[pick(state, sizeof useful)];
        return length;
    case 1: /* the end is missing */
        return pick(state, 4) ? length : at;
    case 2: { /* a piece is missing */
        size_t piece = pick(state, length - at < 40 ? length - at : 40);
        memmove(text + at, text + at + piece, length - at - piece);
        return length - piece;
    }
    case 3: { /* a piece is there twice */
        size_t piece = pick(state, length - at < 40 ? length - at : 40);
        memmove(text + at + piece, text + at, length - at);
        return length + piece;
    }
    default: { /* a piece has moved */
        size_t from = pick(state, length), rest = length - (from > at ? from : at);
        memmove(text + at, text + from, pick(state, rest < 20 ? rest : 20));
        return length;
    }
    }
}

static void check_reads_back(const sn_scene *scene)
{
    size_t length;
    char *text = scene_as_text(scene, &length);
    sn_scene again;
    sn_status status = read_scene_text(MPI_COMM_SELF, text, length, NULL, 0, &again);
    CHECK(status == SN_OK, "%s\n%s", sn_failure_message(), text);
    if (status == SN_OK)
        sn_scene_free(&again);
    free(text);
}

static int fuzz(unsigned long long *state, int rounds)
{
    int accepted = 0;
    for (int round = 0; round < rounds; round++) {
        char text[ROOM];
        size_t length = strlen(example_scene);
        memcpy(text, example_scene, length);
        for (size_t edits = 1 + pick(state, MOST_EDITS); edits > 0 && length > 0; edits--)
            length = edit(text, length, state);
        sn_scene scene;
        sn_status status = read_scene_text(MPI_COMM_SELF, text, length, NULL, 0, &scene);
        CHECK(status == SN_OK || status == SN_BAD_INPUT, "%d", status);
        if (status == SN_OK) {
            accepted++;
            check_reads_back(&scene);
            sn_scene_free(&scene);
        } else {
            CHECK(strstr(sn_failure_message(), ".yaml:"), "%s", sn_failure_message());
        }
    }
    return accepted;
}

/* Standard output and error go to a file meanwhile. With any argument: fewer rounds. */
static void run(int argc, char **argv)
{
    (void)argv;
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    unsigned long long state = 12345u + (unsigned)rank;
    FILE *spoken = tmpfile();
    fflush(NULL);
    int out = dup(1), err = dup(2);
    dup2(fileno(spoken), 1);
    dup2(fileno(spoken), 2);
    size_t held = sn_memory_held();
    int failures = check_failures, rounds = (argc > 1 ? FEW_ROUNDS : ROUNDS) / size,
        accepted = fuzz(&state, rounds);
    fflush(NULL);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    struct stat about;
    fstat(fileno(spoken), &about);
    CHECK(about.st_size == 0 && check_failures == failures, "%ld bytes were printed",
          (long)about.st_size);
    char line[256];
    for (rewind(spoken); fgets(line, sizeof line, spoken);)
        fputs(line, stderr);
    fclose(spoken);
    CHECK(sn_memory_held() == held, "%zu bytes were not freed", sn_memory_held() - held);
    CHECK(accepted > rounds / 20 && accepted < rounds, "accepted %d of %d", accepted, rounds);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
