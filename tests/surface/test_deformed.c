/* The deformed surface: the same on every node, however many ranks fill it; its volume against
 * what is known of affine motions; and one picture, byte for byte. */
#include "helpers/check.h"
#include "helpers/embedded.h"
#include "render/preview.h"
#include "surface/deformed.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static int rank;

/* The wave, gathered by one rank alone. */
typedef struct {
    int64_t n;
    double (*position)[3];
    double volume;
} expected_wave;

static void check_volumes(const test_bodies *f, test_embedded *e, sn_deformed *deformed)
{
    double input = sn_deformed_volume(deformed);
    CHECK(fabs(input - f->volume) <= 1e-12, "%.17g is not %.17g", input, f->volume);
    test_embedded_move(e, test_affine);
    sn_deformed_update(deformed, test_positions(e));
    double volume = sn_deformed_volume(deformed);
    CHECK(fabs(volume - test_affine_determinant() * f->volume) <= 1e-11, "an affine motion");
}

static expected_wave wave_alone(const test_bodies *f)
{
    test_embedded e;
    sn_deformed deformed;
    test_embed(f, MPI_COMM_SELF, SN_PARTITION_CURVE, &e);
    sn_deformed_create(&e.embedding, &deformed);
    check_volumes(f, &e, &deformed);
    test_embedded_move(&e, test_wave);
    sn_deformed_update(&deformed, test_positions(&e));
    int64_t n = sn_embedding_vertices(&e.embedding);
    expected_wave expected = {n, SN_NEW(double[3], n), sn_deformed_volume(&deformed)};
    for (size_t i = 0; i < e.embedding.n; i++)
        memcpy(expected.position[e.embedding.vertex[i]], e.position[i], sizeof(double[3]));
    sn_deformed_free(&deformed);
    test_embedded_free(&e);
    return expected;
}

static void compare_with_wave(const sn_deformed *deformed, const expected_wave *expected)
{
    const sn_embedding *m = deformed->embedding;
    for (int b = 0; b < m->tree->bodies->n; b++)
        CHECK(memcmp(deformed->body[b].vertex, expected->position[m->body_first[b]],
                     (size_t)deformed->body[b].n_vertices * sizeof(double[3])) == 0,
              "body %d is not the one that a rank alone has", b);
    CHECK(sn_deformed_volume(deformed) == expected->volume, "not the volume of a rank alone");
}

/* With all ranks on a node, and with several nodes. */
static void same_on_every_node(void)
{
    unsigned long long seed = 5;
    test_bodies f = {0};
    test_bodies_add(&f, test_tetrahedra(&seed, 3, false), true, 0.06);
    test_bodies_add(&f, test_builtin("builtin:sphere,radius=0.5,detail=14"), true, 0.04);
    expected_wave expected = wave_alone(&f);
    for (int most_ranks = 1; most_ranks <= 8; most_ranks += most_ranks) {
        test_embedded e;
        sn_deformed deformed;
        test_embed(&f, MPI_COMM_WORLD, SN_PARTITION_CURVE, &e);
        sn_deformed_create_split(&e.embedding, most_ranks, &deformed);
        check_volumes(&f, &e, &deformed);
        test_embedded_move(&e, test_wave);
        sn_deformed_update(&deformed, test_positions(&e));
        compare_with_wave(&deformed, &expected);
        sn_deformed_free(&deformed);
        test_embedded_free(&e);
    }
    sn_free(expected.position);
    test_bodies_free(&f);
}

/* A mesh whose normals point inward counts like any other; turned inside out, it is negative. */
static void inward_normals(void)
{
    test_bodies f = {0};
    sn_mesh mesh = test_builtin("builtin:sphere,radius=0.4,detail=8");
    for (int64_t t = 0; t < mesh.n_triangles; t++) {
        int32_t swap = mesh.triangle[t][0];
        mesh.triangle[t][0] = mesh.triangle[t][1];
        mesh.triangle[t][1] = swap;
    }
    test_bodies_add(&f, mesh, true, 0.1);
    test_embedded e;
    test_embed(&f, MPI_COMM_WORLD, SN_PARTITION_CURVE, &e);
    test_embedded_move(&e, test_stay);
    for (size_t i = 0; i < e.embedding.n; i++)
        e.position[i][1] = -e.position[i][1];
    sn_deformed deformed;
    sn_deformed_create(&e.embedding, &deformed);
    CHECK(fabs(sn_deformed_volume(&deformed) - f.volume) < 1e-12, "volume at rest");
    sn_deformed_update(&deformed, test_positions(&e));
    CHECK(fabs(sn_deformed_volume(&deformed) + f.volume) < 1e-12, "volume inside out");
    sn_deformed_free(&deformed);
    test_embedded_free(&e);
    test_bodies_free(&f);
}

enum { PICTURE_BYTES = 1 << 16 };

/* Draws the wave and reads the file back on the communicator's rank 0. */
static size_t draw(const test_bodies *f, MPI_Comm comm, char *bytes)
{
    char path[64];
    int mine;
    snprintf(path, sizeof path, "/tmp/sinew_test_embed_%ld.png", (long)getpid());
    test_embedded e;
    test_embed(f, comm, SN_PARTITION_CURVE, &e);
    sn_deformed deformed;
    sn_deformed_create(&e.embedding, &deformed);
    static const char text[] = "bodies: [{name: a, mesh: 'builtin:cube', cell: 1}]";
    sn_scene scene;
    CHECK(sn_scene_read_text("text", text, strlen(text), &scene) == SN_OK, "the scene");
    sn_preview preview = sn_preview_of(&scene, sn_deformed_bounds(&deformed), 96, 64);
    test_embedded_move(&e, test_wave);
    sn_deformed_update(&deformed, test_positions(&e));
    CHECK(sn_preview_draw(&preview, &deformed, path) == SN_OK, "%s", sn_failure_message());
    CHECK(sn_preview_draw(&preview, &deformed, "/no/such/folder/a.png") == SN_MACHINE,
          "drawn to nowhere");
    MPI_Comm_rank(comm, &mine);
    size_t n = 0;
    if (mine == 0) {
        FILE *file = fopen(path, "rb");
        CHECK(file != NULL, "no picture");
        n = file ? fread(bytes, 1, PICTURE_BYTES, file) : 0;
        if (file)
            fclose(file);
        remove(path);
    }
    sn_scene_free(&scene);
    sn_deformed_free(&deformed);
    test_embedded_free(&e);
    return n;
}

static void same_picture(void)
{
    static char alone[PICTURE_BYTES], together[PICTURE_BYTES];
    test_bodies f = {0};
    test_bodies_add(&f, test_builtin("builtin:sphere,radius=0.5,detail=12"), true, 0.1);
    size_t n_alone = draw(&f, MPI_COMM_SELF, alone), n = draw(&f, MPI_COMM_WORLD, together);
    if (rank == 0) {
        CHECK(n > 500, "a picture of %zu bytes", n);
        CHECK(n == n_alone && memcmp(alone, together, n) == 0, "not the same picture");
    }
    test_bodies_free(&f);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    same_on_every_node();
    inward_normals();
    same_picture();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
