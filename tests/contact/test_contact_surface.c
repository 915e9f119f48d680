/* The points where contact is looked for: a coarse mesh is refined until no edge is longer than it
 * may be, and stays what it was: closed, with the same volume and area, its vertices first. A fine
 * one stays as it is. Coarse bodies that fall on each other, rub and press have the same bits on
 * any number of ranks. */
#include "helpers/check.h"
#include "helpers/embedded.h"
#include "helpers/scene_text.h"

#include "base/array.h"
#include "base/digest.h"
#include "contact/pressure.h"
#include "contact/surface.h"
#include "mesh/triangle.h"
#include "shot/shot.h"

#include <math.h>
#include <string.h>

static void must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(status, __FILE__, __LINE__, "%s", sn_failure_message());
}

/* ---- Meshes ---- */

typedef struct {
    double area, longest;
    int64_t open; /* directed edges without their opposite */
} measure;

static bool has_edge(const sn_mesh *m, int32_t from, int32_t to)
{
    for (int64_t t = 0; t < m->n_triangles; t++)
        for (int k = 0; k < 3; k++)
            if (m->triangle[t][k] == from && m->triangle[t][(k + 1) % 3] == to)
                return true;
    return false;
}

static measure measured(const sn_mesh *m)
{
    measure all = {0};
    for (int64_t t = 0; t < m->n_triangles; t++) {
        sn_vec p[3];
        for (int k = 0; k < 3; k++)
            p[k] = sn_vec_load(m->vertex[m->triangle[t][k]]);
        all.area += sn_vec_length(sn_triangle_normal(p)) / 2;
        for (int k = 0; k < 3; k++) {
            all.longest = fmax(all.longest, sn_vec_length(sn_vec_sub(p[k], p[(k + 1) % 3])));
            all.open += !has_edge(m, m->triangle[t][(k + 1) % 3], m->triangle[t][k]);
        }
    }
    return all;
}

static void compare(const sn_mesh *file, const sn_mesh *fine, double most)
{
    measure a = measured(file), b = measured(fine);
    CHECK(a.longest > most && b.longest <= most, "edges of %g, then of %g", a.longest, b.longest);
    CHECK(b.open == a.open, "%ld edges are open, not %ld", (long)b.open, (long)a.open);
    CHECK(fabs(b.area - a.area) < 1e-12 * a.area, "area %g, not %g", b.area, a.area);
    double volume = sn_mesh_volume(file);
    CHECK(fabs(sn_mesh_volume(fine) - volume) < 1e-12 * volume, "another volume");
    CHECK(memcmp(file->vertex, fine->vertex, (size_t)file->n_vertices * sizeof *file->vertex) == 0,
          "vertices come first");
}

/* Each vertex is a point, and is found again. */
static void check_numbers(const sn_contact_surface *s)
{
    for (size_t i = 0; i < s->embedding->n; i++) {
        int64_t point = s->embedding->vertex[i], vertex = sn_contact_vertex_of(s, point);
        double at[3], rest[3];
        if (vertex < 0)
            continue;
        sn_embedding_rest(s->embedding, point, at);
        sn_embedding_rest(s->render, vertex, rest);
        CHECK(memcmp(at, rest, sizeof at) == 0, "point %ld is not vertex %ld", (long)point,
              (long)vertex);
    }
}

/* A fine ball, and a beam and a cube that are coarse. */
static void refinement(void)
{
    test_bodies f = {0};
    test_embedded e;
    sn_contact_surface s;
    const double cell = 0.1;
    test_bodies_add(&f, test_builtin("builtin:sphere,radius=0.5,detail=12"), true, cell);
    test_bodies_add(&f, test_builtin("builtin:beam,length=1,height=0.2,width=0.2,detail=2"), true,
                    cell);
    test_bodies_add(&f, test_builtin("builtin:cube,size=0.7,detail=1"), true, cell);
    test_embed(&f, MPI_COMM_WORLD, SN_PARTITION_CURVE, &e);
    must(sn_contact_surface_create(&e.embedding, &s));
    CHECK(s.is_refined && s.solid[0].mesh == e.embedding.solids[0].mesh, "the ball is fine");
    for (int b = 1; b < 3; b++)
        compare(e.embedding.solids[b].mesh, s.solid[b].mesh, SN_CONTACT_EDGE_CELLS * cell);
    check_numbers(&s);
    sn_contact_surface_free(&s);
    test_embedded_free(&e);
    test_bodies_free(&f);
}

static void nothing_to_refine(void)
{
    test_bodies f = {0};
    test_embedded e;
    sn_contact_surface s;
    test_bodies_add(&f, test_builtin("builtin:cube,size=0.7,detail=7"), true, 0.1);
    test_embed(&f, MPI_COMM_WORLD, SN_PARTITION_CURVE, &e);
    must(sn_contact_surface_create(&e.embedding, &s));
    CHECK(!s.is_refined && s.embedding == &e.embedding, "squares as large as cells are fine");
    sn_contact_surface_free(&s);
    test_embedded_free(&e);
    test_bodies_free(&f);
}

/* ---- The same bits ---- */

static const char SCENE[] =
    "frames: {first: 0, last: 100}\n"
    "bodies:\n"
    "- {name: block, mesh: 'builtin:cube,x=0.5,y=0.2,z=0.5,detail=1', cell: 0.1,\n"
    "   place: {translate: [0, 0.101, 0]}, material: {young: 1e5, poisson: 0.3}}\n"
    "- {name: turned, mesh: 'builtin:cube,size=0.3,detail=1', cell: 0.1,\n"
    "   place: {rotate: {axis: [1, 0, 1], degrees: 30}, translate: [0.02, 0.45, 0.03]},\n"
    "   material: {young: 1e5, poisson: 0.3}, velocity: {linear: [0.5, -1, 0]}}\n"
    "colliders: [{name: floor, shape: {plane: {normal: [0, 1, 0]}}, friction: 0.4}]\n"
    "self_collision: {enabled: true, friction: 0.4}\n"
    "solver: {newton: {max: 20, tolerance: 1e-4}, linear: {max: 60, tolerance: 1e-3}}\n";

static uint64_t digest_of_pressures(const sn_shot *shot)
{
    const sn_embedding *e = &shot->built.embedding;
    sn_press *press = SN_NEW(sn_press, e->n);
    uint64_t digest = 0;
    sn_contacts_press(&shot->built.contacts, shot->built.surface.body, press);
    for (size_t i = 0; i < e->n; i++)
        sn_digest_add(&digest, (uint64_t)e->vertex[i], &press[i], sizeof press[i]);
    sn_free(press);
    return sn_digest_allreduce(e->tree->comm, digest);
}

static uint64_t fall(MPI_Comm comm)
{
    static sn_shot shot;
    sn_scene scene;
    sn_frame_row row;
    uint64_t digest = 0;
    must(read_scene_text(comm, SCENE, strlen(SCENE), NULL, 0, &scene));
    must(sn_shot_create(comm, &scene, &shot));
    for (int frame = 0; frame <= 8; frame++) {
        must(sn_shot_advance(&shot, frame, &row));
        digest = digest * 3 + row.digest + digest_of_pressures(&shot);
    }
    CHECK(shot.state.contacts.n_points > 16, "%ld points", (long)shot.state.contacts.n_points);
    CHECK(row.max_penetration > 0 && row.max_penetration < 0.1, "%g deep", row.max_penetration);
    sn_shot_free(&shot);
    sn_scene_free(&scene);
    return digest;
}

static void same_bits(void)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    uint64_t together = fall(MPI_COMM_WORLD);
    uint64_t alone = rank == 0 && size > 1 ? fall(MPI_COMM_SELF) : together;
    MPI_Bcast(&alone, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    CHECK(alone == together, "not what a rank alone has");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    refinement();
    nothing_to_refine();
    same_bits();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
