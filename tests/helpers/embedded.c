#include "helpers/embedded.h"

#include "base/log.h"
#include "shapes/shape.h"

#include <math.h>
#include <string.h>

/* What the tests stand on: without it they can't go on. */
static void must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(status, __FILE__, __LINE__, "%s", sn_failure_message());
}

void test_bodies_add(test_bodies *f, sn_mesh mesh, bool closed, double cell)
{
    int b = f->n++;
    f->solid[b] = test_solid_of(mesh, closed);
    f->view[b] = f->solid[b].solid;
    f->view[b].mesh = &f->solid[b].mesh;
    sn_box bounds = sn_mesh_bounds(&mesh);
    must(sn_body_place("body", &bounds, cell, 0, &f->body[b]));
    f->bodies = (sn_bodies){f->n, f->body};
    f->volume += fabs(sn_mesh_volume(&mesh));
}

void test_bodies_free(test_bodies *f)
{
    for (int b = 0; b < f->n; b++)
        test_solid_free(&f->solid[b]);
}

sn_mesh test_builtin(const char *spec)
{
    sn_mesh mesh;
    must(sn_builtin_make(spec, &mesh));
    return mesh;
}

void test_embed(const test_bodies *f, MPI_Comm comm, sn_partition_method method, test_embedded *e)
{
    sn_hierarchy_options options = {.method = method, .octants_per_rank = 1, .max_levels = 1};
    must(sn_hierarchy_create(comm, &f->bodies, f->view, &options, &e->forest));
    e->tree = &e->forest.level[0];
    must(sn_embedding_create(e->tree, f->view, &e->forest.parts, &e->embedding));
    e->x = SN_NEW(double, 3 * (e->tree->n_nodes + e->tree->n_ghost_nodes));
    e->position = SN_NEW(double[3], e->embedding.n);
}

void test_embedded_free(test_embedded *e)
{
    sn_embedding_free(&e->embedding);
    sn_hierarchy_free(&e->forest);
    sn_free(e->x);
    sn_free(e->position);
}

void test_stay(const double rest[3], double moved[3])
{
    memcpy(moved, rest, 3 * sizeof *moved);
}

static const double LINEAR[3][3] = {{1.25, 0.5, -0.25}, {-0.3, 0.9, 0.2}, {0.1, -0.6, 1.5}};
static const double SHIFT[3] = {3, -2, 0.7};

double test_affine_determinant(void)
{
    const double(*m)[3] = LINEAR;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

void test_affine(const double rest[3], double moved[3])
{
    for (int i = 0; i < 3; i++)
        moved[i] =
            LINEAR[i][0] * rest[0] + LINEAR[i][1] * rest[1] + LINEAR[i][2] * rest[2] + SHIFT[i];
}

void test_wave(const double rest[3], double moved[3])
{
    moved[0] = rest[0] + 0.1 * sin(5 * rest[1] + rest[2]);
    moved[1] = rest[1] * (1 + 0.2 * rest[0] * rest[2]);
    moved[2] = rest[2] - 0.05 * cos(9 * rest[0]);
}

/* Owned nodes only: the ghosts are for the exchange. */
void test_embedded_move(test_embedded *e, test_motion *move)
{
    sn_key *keys = sn_octree_node_keys(e->tree);
    for (sn_local i = 0; i < e->tree->n_nodes; i++) {
        const sn_body *body = &e->tree->bodies->body[sn_key_body(keys[i])];
        uint32_t xyz[3];
        double rest[3];
        sn_key_anchor(keys[i], xyz);
        for (int d = 0; d < 3; d++)
            rest[d] = body->origin[d] + body->cell * xyz[d];
        move(rest, e->x + 3 * i);
    }
    sn_free(keys);
    sn_exchange_begin(&e->tree->exchange, e->x, 3 * sizeof *e->x);
    sn_exchange_end(&e->tree->exchange);
    sn_embedding_evaluate(&e->embedding, e->x, e->position);
}
