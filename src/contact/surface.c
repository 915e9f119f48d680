#include "contact/surface.h"

#include "base/array.h"
#include "base/log.h"
#include "shapes/modelling/refine.h"

#include <string.h>

/* Halvings of the longest edge: more than grids have bits. */
enum { MOST_ROUNDS = 32 };

static int bodies_of(const sn_contact_surface *s)
{
    return s->render->tree->bodies->n;
}

static double longest_edge(const sn_contact_surface *s, int body)
{
    return SN_CONTACT_EDGE_CELLS * s->render->tree->bodies->body[body].cell;
}

/* ---- Refinement ---- */

typedef struct {
    sn_surface surface;
    double longest;
} refinement;

static double length(const void *state, int32_t a, int32_t b)
{
    const refinement *r = state;
    const sn_vec *at = r->surface.vertices.data;
    return sn_vec_length(a < b ? sn_vec_sub(at[a], at[b]) : sn_vec_sub(at[b], at[a]));
}

static bool is_too_long(const void *state, int32_t a, int32_t b)
{
    return length(state, a, b) > ((const refinement *)state)->longest;
}

static int32_t middle(void *state, int32_t a, int32_t b)
{
    refinement *r = state;
    const sn_vec *at = r->surface.vertices.data;
    return sn_surface_vertex(&r->surface, sn_vec_scale(sn_vec_add(at[a], at[b]), 0.5));
}

static sn_surface surface_of(const sn_mesh *mesh)
{
    sn_surface s = {0};
    for (int64_t v = 0; v < mesh->n_vertices; v++)
        sn_surface_vertex(&s, sn_vec_load(mesh->vertex[v]));
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        sn_surface_triangle(&s, mesh->triangle[t][0], mesh->triangle[t][1], mesh->triangle[t][2]);
    return s;
}

static sn_mesh refined(const sn_mesh *mesh, double longest)
{
    refinement r = {surface_of(mesh), longest};
    sn_refiner refiner = {&r, is_too_long, length, middle};
    for (int round = 0; round < MOST_ROUNDS && sn_refine_once(&refiner, &r.surface);)
        round++;
    sn_mesh out = {0};
    sn_surface_to_mesh(&r.surface, &out);
    return out;
}

static bool is_coarse(const sn_mesh *mesh, double longest)
{
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        for (int k = 0; k < 3; k++) {
            sn_vec a = sn_vec_load(mesh->vertex[mesh->triangle[t][k]]);
            sn_vec b = sn_vec_load(mesh->vertex[mesh->triangle[t][(k + 1) % 3]]);
            if (sn_vec_length(sn_vec_sub(a, b)) > longest)
                return true;
        }
    return false;
}

/* ---- The surface ---- */

/* Collective: one rank refines for all. */
static sn_status refine_body(sn_contact_surface *s, int body)
{
    MPI_Comm comm = s->render->tree->comm;
    const sn_mesh *mesh = s->render->solids[body].mesh;
    sn_mesh fine = {0};
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        fine = refined(mesh, longest_edge(s, body));
    SN_TRY(sn_shared_mesh_create(comm, &fine, &s->mesh[body]));
    s->solid[body].mesh = &s->mesh[body].view;
    const char *name = s->render->tree->bodies->body[body].name;
    sn_note("body '%s' has edges of more than %g cells: contact is looked for at %lld points "
            "between its %lld vertices, too",
            name ? name : "?", SN_CONTACT_EDGE_CELLS,
            (long long)(s->mesh[body].view.n_vertices - mesh->n_vertices),
            (long long)mesh->n_vertices);
    return SN_OK;
}

static sn_status refine_coarse_bodies(sn_contact_surface *s)
{
    for (int b = 0; b < bodies_of(s); b++) {
        s->solid[b] = s->render->solids[b];
        if (!is_coarse(s->solid[b].mesh, longest_edge(s, b)))
            continue;
        s->is_refined = true;
        SN_TRY(refine_body(s, b));
    }
    return SN_OK;
}

sn_status sn_contact_surface_create(const sn_embedding *render, sn_contact_surface *s)
{
    *s = (sn_contact_surface){.render = render, .embedding = render};
    s->solid = SN_NEW(sn_solid, bodies_of(s));
    s->mesh = SN_NEW_ZERO(sn_shared_mesh, bodies_of(s));
    sn_status status = refine_coarse_bodies(s);
    if (status == SN_OK && s->is_refined) {
        s->embedding = &s->own;
        status = sn_embedding_create(render->tree, s->solid, render->parts, &s->own);
    }
    if (status != SN_OK)
        sn_contact_surface_free(s);
    return status;
}

void sn_contact_surface_free(sn_contact_surface *s)
{
    if (s->own.tree)
        sn_embedding_free(&s->own);
    for (int b = 0; s->mesh && b < bodies_of(s); b++)
        if (s->mesh[b].view.n_vertices > 0)
            sn_shared_mesh_free(&s->mesh[b]);
    sn_free(s->mesh);
    sn_free(s->solid);
    *s = (sn_contact_surface){0};
}

int64_t sn_contact_vertex_of(const sn_contact_surface *s, int64_t point)
{
    int body = sn_embedding_body_of(s->embedding, point);
    int64_t of_body = point - s->embedding->body_first[body];
    int64_t vertex = s->render->body_first[body] + of_body;
    return vertex < s->render->body_first[body + 1] ? vertex : -1;
}

size_t sn_contact_surface_memory(const sn_contact_surface *s)
{
    return s->is_refined ? sn_embedding_memory(&s->own) : 0;
}
