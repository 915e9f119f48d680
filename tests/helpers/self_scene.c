#include "helpers/self_scene.h"

#include "base/digest.h"
#include "helpers/check.h"

#include <math.h>
#include <string.h>

const sn_self_collision SELF_SETTINGS = {.enabled = true,
                                         .law = {.pressure = 1000,
                                                 .stiffness = NAN,
                                                 .tangential_pressure = 500,
                                                 .tangential_stiffness = NAN,
                                                 .friction = 0.25}};
static const double YOUNG[8]; /* of the bodies: nobody asks */

void self_scene_must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(status, __FILE__, __LINE__, "%s", sn_failure_message());
}

void self_scene_open(self_scene *s, const test_bodies *f, MPI_Comm comm, sn_partition_method method)
{
    *s = (self_scene){0};
    test_embed(f, comm, method, &s->e);
    self_scene_must(
        sn_self_contacts_create(&SELF_SETTINGS, YOUNG, &s->e.embedding, &s->memory, &s->contacts));
}

void self_scene_close(self_scene *s)
{
    sn_self_contacts_free(&s->contacts);
    sn_vector_free(&s->memory);
    test_embedded_free(&s->e);
    sn_vector_free(&s->springs);
}

void self_scene_find(self_scene *s, test_motion *motion)
{
    test_embedded_move(&s->e, motion);
    s->springs.count = 0;
    self_scene_must(
        sn_self_contacts_find(&s->contacts, s->e.x, test_positions(&s->e), &s->springs));
}

int64_t self_scene_total(MPI_Comm comm, size_t n)
{
    int64_t all = (int64_t)n;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, comm);
    return all;
}

/* Padding is not compared. */
uint64_t self_scene_digest(const self_scene *s)
{
    uint64_t digest = 0;
    for (size_t i = 0; i < s->springs.count; i++) {
        const sn_spring *p = &s->springs.data[i];
        double all[19] = {p->normal_stiffness, p->tangential_stiffness, p->friction, p->one_sided};
        for (int k = 0; k < 2; k++) {
            all[4 + k] = p->point[k].body;
            memcpy(all + 6 + 3 * k, p->point[k].at, sizeof p->point[k].at);
        }
        memcpy(all + 12, p->target, sizeof p->target);
        memcpy(all + 15, p->normal, sizeof p->normal);
        sn_digest_add(&digest, p->number, all, sizeof all);
    }
    return sn_digest_allreduce(s->e.tree->comm, digest);
}

sn_mesh self_scene_moved(sn_mesh mesh, double x, double y, double z)
{
    for (int64_t v = 0; v < mesh.n_vertices; v++) {
        mesh.vertex[v][0] += x;
        mesh.vertex[v][1] += y;
        mesh.vertex[v][2] += z;
    }
    return mesh;
}

double self_scene_approach;

void self_scene_together(const double rest[3], double moved_to[3])
{
    memcpy(moved_to, rest, 3 * sizeof *rest);
    if (rest[0] > 0.75)
        moved_to[0] -= self_scene_approach;
}
