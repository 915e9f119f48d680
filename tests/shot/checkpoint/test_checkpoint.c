/* Checkpoints: a shot that is read goes on bit for bit, from the middle of a frame and on other
 * ranks; what the file holds does not depend on them, and says what the design says it does. */
#include "helpers/check.h"
#include "helpers/scene_text.h"
#include "shot/checkpoint/checkpoint.h"

#include "base/array.h"
#include "io/hdf5/state.h"

#include <math.h>

/* clang-format off */
static const char scene_text[] =
    "frames: {first: 1, last: 5, fps: 24, substeps: 3}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: ball, mesh: 'builtin:sphere,radius=0.5,detail=8', cell: 0.06, material: {young: 3.0e4, damping: 0.01}}\n"
    "  - {name: block, mesh: 'builtin:cube', cell: 0.2}\n"
    "pins:\n"
    "  - {name: top, body: ball, region: {box: {min: [-1, 0.3, -1], max: [1, 1, 1]}}, motion: {keys: [{frame: 1}, {frame: 4, translate: [0.1, 0, 0]}]}}\n"
    "  - {name: base, body: block, region: {box: {min: [-2, -2, -2], max: [2, -0.2, 2]}}}\n"
    "solver: {newton: {max: 20, tolerance: 1.0e-4}, linear: {max: 10, tolerance: 1.0e-3}}\n";
/* clang-format on */

static int rank, size;

typedef struct {
    sn_scene scene;
    sn_shot shot;
    sn_frame_rows rows;
} subject;

/* Made in place: a shot does not move. */
static void make(MPI_Comm comm, const char *integrator, const char *method, subject *s)
{
    char first[64], second[64];
    snprintf(first, sizeof first, "solver.integrator=%s", integrator);
    snprintf(second, sizeof second, "partition.method=%s", method);
    const char *overrides[] = {first, second};
    s->rows = (sn_frame_rows){0};
    sn_status status =
        read_scene_text(comm, scene_text, strlen(scene_text), overrides, 2, &s->scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    status = sn_shot_create(comm, &s->scene, &s->shot);
    CHECK(status == SN_OK, "%s", sn_failure_message());
}

static void release(subject *s)
{
    sn_vector_free(&s->rows);
    sn_shot_free(&s->shot);
    sn_scene_free(&s->scene);
}

static void advance(subject *s, int frame)
{
    sn_frame_row row;
    sn_status status = sn_shot_advance(&s->shot, frame, &row);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_push(&s->rows, row);
}

static bool rows_are_equal(sn_frame_row a, sn_frame_row b)
{
    return a.frame == b.frame && a.time == b.time && a.newton == b.newton && a.linear == b.linear &&
           a.residual == b.residual && a.elastic_energy == b.elastic_energy &&
           a.kinetic_energy == b.kinetic_energy && a.min_det_f == b.min_det_f &&
           a.volume == b.volume && a.digest == b.digest && a.penetrated_cells == b.penetrated_cells;
}

static uint64_t stored_digest(sn_h5_source *source, const char *name)
{
    uint64_t digest = 0;
    sn_status status = sn_h5_read_attribute(source, name, "digest", H5T_STD_U64LE, 1, &digest);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    return digest;
}

/* Written by all ranks together and by this one alone. */
static void files_are_the_same(const char *together, const char *alone)
{
    static const char *const names[] = {
        "/octree/anchor",   "/octree/height",      "/octree/flags",    "/octree/body",
        "/octree/copy",     "/element/conforming", "/element/hanging", "/node/x",
        "/node/v",          "/node/x_before",      "/node/v_before",   "/element/young",
        "/element/poisson", "/element/fraction",   "/frames",          "/contact/colliders",
        "/contact/flesh"};
    sn_h5_source a, b;
    sn_status status = sn_h5_open(MPI_COMM_SELF, together, &a);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    status = sn_h5_open(MPI_COMM_SELF, alone, &b);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(stored_digest(&a, names[i]) == stored_digest(&b, names[i]), "%s differs", names[i]);
    sn_h5_close(&a);
    sn_h5_close(&b);
}

static void write_to(const subject *s, const char *path)
{
    sn_status status = sn_checkpoint_write(&s->shot, &s->rows, path);
    CHECK(status == SN_OK, "%s", sn_failure_message());
}

static void read_from(subject *s, const char *path)
{
    MPI_Comm comm = s->shot.model.forest.level[0].comm;
    sn_status status = sn_checkpoint_check(comm, path, &s->scene, false);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    status = sn_checkpoint_read(&s->shot, &s->rows, path);
    CHECK(status == SN_OK, "%s", sn_failure_message());
}

/* All ranks stop in the middle of frame 4, and each goes on by itself. */
static void goes_on_alone(const char *integrator)
{
    static subject all, one;
    char together[64], alone[64];
    snprintf(together, sizeof together, "test_checkpoint.%d.h5", size);
    snprintf(alone, sizeof alone, "test_checkpoint.%d.%d.h5", size, rank);
    make(MPI_COMM_WORLD, integrator, "parmetis", &all);
    for (int frame = 1; frame <= 3; frame++)
        advance(&all, frame);
    sn_status status = sn_shot_step(&all.shot, 4);
    CHECK(status == SN_OK && !all.shot.state.progress.whole, "%s", sn_failure_message());
    write_to(&all, together);
    make(MPI_COMM_SELF, integrator, "curve", &one);
    read_from(&one, together);
    write_to(&one, alone);
    files_are_the_same(together, alone);
    for (int frame = 4; frame <= 5; frame++) {
        advance(&all, frame);
        advance(&one, frame);
    }
    CHECK(one.rows.count == all.rows.count, "%zu rows", one.rows.count);
    for (size_t i = 0; i < one.rows.count; i++)
        CHECK(rows_are_equal(one.rows.data[i], all.rows.data[i]), "%s: frame %zu differs",
              integrator, i + 1);
    release(&all);
    release(&one);
    MPI_Barrier(MPI_COMM_WORLD);
    remove(alone);
    if (rank == 0)
        remove(together);
}

static void read_array(sn_h5_source *s, const char *name, hid_t type, int64_t rows, int columns,
                       void *values)
{
    sn_status status =
        sn_state_read_array(s, name, type, rows, columns, (sn_slab){0, rows}, values);
    CHECK(status == SN_OK, "%s", sn_failure_message());
}

/* Corners that do not hang are nodes at their own places. */
static void check_connections(sn_h5_source *s, int64_t octants, int64_t elements,
                              const uint16_t (*anchor)[3], const uint8_t *flags,
                              const double (*x)[3], const double (*origin)[3], const double *cell,
                              const uint16_t *body)
{
    uint64_t(*rows)[8] = SN_NEW(uint64_t[8], elements);
    uint8_t *hanging = SN_NEW(uint8_t, elements), *height = SN_NEW(uint8_t, octants);
    read_array(s, "/element/conforming", H5T_STD_U64LE, elements, 8, rows);
    read_array(s, "/element/hanging", H5T_STD_U8LE, elements, 0, hanging);
    read_array(s, "/octree/height", H5T_STD_U8LE, octants, 0, height);
    for (int64_t i = 0, e = 0; i < octants; i++) {
        if (!(flags[i] & 1))
            continue;
        for (int c = 0; c < 8; c++)
            for (int d = 0; d < 3 && !(hanging[e] >> c & 1); d++) {
                double corner = anchor[i][d] + (double)((c >> d & 1) << height[i]);
                double at = origin[body[i]][d] + cell[body[i]] * corner;
                CHECK(fabs(x[rows[e][c]][d] - at) < 1e-12, "corner %d of element %d", c, (int)e);
            }
        e++;
    }
    sn_free(rows);
    sn_free(hanging);
    sn_free(height);
}

/* At rest a node is where its octant's anchor is. */
static void check_layout(sn_h5_source *s, int64_t octants, int64_t elements, int64_t nodes)
{
    uint16_t(*anchor)[3] = SN_NEW(uint16_t[3], octants), *body = SN_NEW(uint16_t, octants);
    uint8_t *flags = SN_NEW(uint8_t, octants);
    double(*x)[3] = SN_NEW(double[3], nodes), origin[2][3], cell[2];
    read_array(s, "/octree/anchor", H5T_STD_U16LE, octants, 3, anchor);
    read_array(s, "/octree/body", H5T_STD_U16LE, octants, 0, body);
    read_array(s, "/octree/flags", H5T_STD_U8LE, octants, 0, flags);
    read_array(s, "/node/x", H5T_IEEE_F64LE, nodes, 3, x);
    sn_status status =
        sn_h5_read_attribute(s, "/octree", "origin", H5T_IEEE_F64LE, 6, (double *)origin);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    status = sn_h5_read_attribute(s, "/octree", "cell", H5T_IEEE_F64LE, 2, cell);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    int64_t n = 0;
    for (int64_t i = 0; i < octants; i++) {
        CHECK(i == 0 ||
                  sn_key_of(body[i - 1], anchor[i - 1][0], anchor[i - 1][1], anchor[i - 1][2]) <=
                      sn_key_of(body[i], anchor[i][0], anchor[i][1], anchor[i][2]),
              "octant %d is not in its place on the curve", (int)i);
        if (!(flags[i] & 2))
            continue;
        for (int d = 0; d < 3 && n < nodes; d++) {
            double at = origin[body[i]][d] + cell[body[i]] * anchor[i][d];
            CHECK(fabs(x[n][d] - at) < 1e-12, "node %d is at %g, not %g", (int)n, x[n][d], at);
        }
        n++;
    }
    CHECK(n == nodes, "%d nodes", (int)n);
    check_connections(s, octants, elements, (const uint16_t(*)[3])anchor, flags,
                      (const double(*)[3])x, (const double(*)[3])origin, cell, body);
    sn_free(anchor);
    sn_free(body);
    sn_free(flags);
    sn_free(x);
}

static void is_what_the_design_says(void)
{
    static subject s;
    char path[64];
    snprintf(path, sizeof path, "test_checkpoint_rest.%d.h5", size);
    make(MPI_COMM_WORLD, "bdf2", "parmetis", &s);
    advance(&s, 1);
    write_to(&s, path);
    sn_octree_counts counts = sn_octree_count(&s.shot.model.forest.level[0]);
    sn_h5_source source;
    sn_status status = sn_h5_open(MPI_COMM_SELF, path, &source);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    int frame = 0;
    double time = -1;
    status = sn_h5_read_attribute(&source, "/", "frame", H5T_STD_I32LE, 1, &frame);
    CHECK(status == SN_OK && frame == 1, "frame %d", frame);
    status = sn_h5_read_attribute(&source, "/", "time", H5T_IEEE_F64LE, 1, &time);
    CHECK(status == SN_OK && time == 0, "time %g", time);
    check_layout(&source, counts.octants, counts.elements, counts.nodes);
    sn_h5_close(&source);
    release(&s);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        remove(path);
}

static void run(int argc, char **argv)
{
    (void)argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    is_what_the_design_says();
    goes_on_alone("bdf2");
    if (argc == 1)
        goes_on_alone("backward_euler");
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
