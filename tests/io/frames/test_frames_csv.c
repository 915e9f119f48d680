/* frames.csv: the columns of the design, rows that come back bit for bit, files that go on after
 * a killed run, disks that are full. */
#include "helpers/check.h"
#include "io/frames/frames_csv.h"

#include "base/pi.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;
static char path[64];

static const sn_frame_row FIRST = {.frame = 1,
                                   .time = 1.0 / 24,
                                   .newton = 3,
                                   .linear = 21,
                                   .residual = 1e-300 / 7,
                                   .elastic_energy = 1e17 / 3,
                                   .kinetic_energy = -0.0,
                                   .min_det_f = -0.1,
                                   .inverted = INT64_C(1) << 40,
                                   .volume = SN_PI,
                                   .max_penetration = 5e-324,
                                   .bone_error = 0,
                                   .seconds = 12.5,
                                   .digest = 0xabc,
                                   .friction_excess = 0.5 / 7,
                                   .contact_energy = 1e3 / 7};

static sn_frame_row longest_row(void)
{
    double wide = -1.7976931348623157e308;
    return (sn_frame_row){INT32_MIN, wide,       INT32_MIN, INT32_MIN, wide, wide,
                          wide,      -NAN,       INT64_MIN, wide,      wide, wide,
                          wide,      UINT64_MAX, wide,      wide,      0};
}

/* On rank 0: the whole file. */
static void read_file(char *text, size_t room)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL, "no file");
    size_t n = file ? fread(text, 1, room - 1, file) : 0;
    text[n] = '\0';
    if (file)
        fclose(file);
}

static bool same_row(const sn_frame_row *a, const sn_frame_row *b)
{
    return a->frame == b->frame && a->newton == b->newton && a->linear == b->linear &&
           a->inverted == b->inverted && a->digest == b->digest &&
           memcmp(&a->time, &b->time, sizeof a->time) == 0 &&
           memcmp(&a->residual, &b->residual, 4 * sizeof a->residual) == 0 &&
           memcmp(&a->volume, &b->volume, 4 * sizeof a->volume) == 0 &&
           a->friction_excess == b->friction_excess && a->contact_energy == b->contact_energy;
}

static sn_frame_row parse(const char *line)
{
    sn_frame_row r = {0};
    int n = sscanf(
        line, "%d,%lf,%d,%d,%lf,%lf,%lf,%lf,%" SCNd64 ",%lf,%lf,%lf,%lf,%16" SCNx64 ",%lf,%lf\n",
        &r.frame, &r.time, &r.newton, &r.linear, &r.residual, &r.elastic_energy, &r.kinetic_energy,
        &r.min_det_f, &r.inverted, &r.volume, &r.max_penetration, &r.bone_error, &r.seconds,
        &r.digest, &r.friction_excess, &r.contact_energy);
    CHECK(n == 16, "%d columns in %s", n, line);
    return r;
}

static void add(bool go_on, const sn_frame_row *row)
{
    sn_frames_csv csv;
    CHECK(sn_frames_csv_open(MPI_COMM_WORLD, path, go_on, &csv) == SN_OK, "%s",
          sn_failure_message());
    CHECK(sn_frames_csv_add(&csv, row) == SN_OK, "%s", sn_failure_message());
    sn_frames_csv_close(&csv);
    sn_frames_csv_close(&csv);
}

static void rows_come_back(void)
{
    static const char header[] =
        "frame,time,newton,linear,residual,elastic_energy,kinetic_energy,min_det_f,inverted,"
        "volume,max_penetration,bone_error,seconds,digest,friction_excess,"
        "contact_energy\n";
    sn_frame_row longest = longest_row();
    char text[4096];
    add(false, &longest); /* is written over */
    add(false, &FIRST);
    add(true, &longest);
    if (rank != 0)
        return;
    read_file(text, sizeof text);
    CHECK(strncmp(text, header, sizeof header - 1) == 0, "the header is %s", text);
    const char *line = text + sizeof header - 1;
    sn_frame_row r = parse(line);
    CHECK(same_row(&r, &FIRST), "%s", line);
    CHECK(strstr(line, ",0000000000000abc,") != NULL, "16 hexadecimal digits: %s", line);
    line = strchr(line, '\n') + 1;
    r = parse(line);
    CHECK(isnan(r.min_det_f) && strstr(line, ",nan,") != NULL, "%s", line);
    CHECK(r.volume == longest.volume && r.digest == longest.digest, "%s", line);
    CHECK(strlen(strchr(line, '\n')) == 1, "more than two rows");
}

/* Cuts the file after `bytes` and goes on: whole rows stay, pieces go. */
static void goes_on_after(size_t bytes, int rows)
{
    char text[4096];
    add(false, &FIRST);
    add(true, &FIRST);
    if (rank == 0)
        CHECK(truncate(path, (off_t)bytes) == 0, "truncate");
    MPI_Barrier(MPI_COMM_WORLD);
    add(true, &FIRST);
    if (rank != 0)
        return;
    read_file(text, sizeof text);
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    CHECK(lines == 1 + rows + 1, "%d lines after a cut at %zu", lines, bytes);
    CHECK(strncmp(text, SN_FRAMES_CSV_HEADER "\n", sizeof SN_FRAMES_CSV_HEADER) == 0, "header");
    sn_frame_row r = parse(strchr(text, '\n') + 1);
    CHECK(same_row(&r, &FIRST), "the first row after a cut at %zu", bytes);
}

static void killed_runs_go_on(void)
{
    size_t header = sizeof SN_FRAMES_CSV_HEADER; /* with its line break */
    goes_on_after(0, 0);
    goes_on_after(header - 1, 0);
    goes_on_after(header, 0);
    goes_on_after(header + 10, 0);
}

static void failures_are_told(void)
{
    sn_frames_csv csv;
    CHECK(sn_frames_csv_open(MPI_COMM_WORLD, "/no/such/frames.csv", false, &csv) == SN_MACHINE,
          "opened nowhere");
    CHECK(strstr(sn_failure_message(), "/no/such/frames.csv"), "%s", sn_failure_message());
    CHECK(sn_frames_csv_open(MPI_COMM_WORLD, "/dev/full", false, &csv) == SN_MACHINE,
          "wrote to a full disk");
    CHECK(strstr(sn_failure_message(), "No space left"), "%s", sn_failure_message());
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "/tmp/sinew_test_frames_%ld.csv", (long)getpid());
    MPI_Bcast(path, sizeof path, MPI_BYTE, 0, MPI_COMM_WORLD);
    rows_come_back();
    killed_runs_go_on();
    failures_are_told();
    if (rank == 0)
        remove(path);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
