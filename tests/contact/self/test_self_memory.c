/* What contact of flesh with flesh remembers from step to step: anchors of friction stick, and are
 * dragged, by Coulomb's law; records that are given back are the same state; what has parted is
 * forgotten. */
#include "helpers/check.h"
#include "helpers/self_scene.h"

#include <math.h>
#include <string.h>

/* ---- What is remembered ---- */

static double slip; /* of the second body along the first */

static void slide(const double rest[3], double moved_to[3])
{
    self_scene_together(rest, moved_to);
    if (rest[0] > 0.75)
        moved_to[1] += slip;
}

/* Whether a point at rest is on the face that touches, and not near its edges, where normals lean.
 */
static bool on_face(const double at[3])
{
    return fabs(at[0] - 0.5) < 1e-9 && fabs(at[1] - 0.25) < 0.2 && fabs(at[2] - 0.25) < 0.2;
}

static const double *rest_of(const self_scene *s, int64_t vertex)
{
    const sn_embedding *e = &s->e.embedding;
    int b = sn_embedding_body_of(e, vertex);
    return e->solids[b].mesh->vertex[vertex - e->body_first[b]];
}

static const double DEPTH = 0.04;

/* The other body's anchors stay behind by as much as it has slid, or as friction can hold. */
static void slide_by(self_scene *s, double distance, double held)
{
    slip = distance;
    self_scene_find(s, slide);
    int64_t seen[2] = {0, 0};
    for (size_t i = 0; i < s->springs.count; i++) {
        const sn_spring *p = &s->springs.data[i];
        if (!on_face(p->point[0].at))
            continue;
        seen[0]++;
        CHECK(fabs(p->target[1] - slip) < 1e-9 && fabs(p->target[2]) < 1e-9,
              "pulled to %g, not to %g", p->target[1], slip);
    }
    self_scene_must(sn_self_contacts_commit(&s->contacts, s->e.x, test_positions(&s->e)));
    for (size_t i = 0; i < s->contacts.memory->count; i++) {
        const sn_self_record *r = &s->contacts.memory->data[i];
        if (!on_face(rest_of(s, r->vertex)))
            continue;
        seen[1]++;
        CHECK(fabs(r->anchor[1] - r->at[1] - held) < 1e-9, "an anchor is %g behind, not %g",
              r->anchor[1] - r->at[1], held);
    }
    MPI_Allreduce(MPI_IN_PLACE, seen, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(seen[0] > 20 && seen[1] == seen[0], "%ld springs, %ld contacts", (long)seen[0],
          (long)seen[1]);
}

static void add_boxes(test_bodies *f)
{
    double low[3] = {1, -0.25, -0.25}, high[3] = {1.5, 0.75, 0.75};
    sn_mesh box = test_builtin("builtin:cube,size=0.5,detail=8");
    sn_box bounds = sn_mesh_bounds(&box);
    box = self_scene_moved(box, -bounds.min[0], -bounds.min[1], -bounds.min[2]);
    test_bodies_add(f, box, true, 0.0625);
    test_bodies_add(f, test_box(low, high), true, 0.0625);
}

/* Two boxes, one of which slides along the other's face: anchors stick, and are dragged. */
static void friction(void)
{
    test_bodies f = {0};
    self_scene s;
    add_boxes(&f);
    self_scene_open(&s, &f, MPI_COMM_WORLD, SN_PARTITION_CURVE);
    double limit = SELF_SETTINGS.law.friction * SELF_SETTINGS.law.pressure * DEPTH /
                   SELF_SETTINGS.law.tangential_pressure;
    self_scene_approach = 0.5 + DEPTH;
    slide_by(&s, 0, 0);
    CHECK(s.contacts.deepest >= DEPTH - 1e-9, "%g deep", s.contacts.deepest);
    slide_by(&s, 0.5 * limit, 0.5 * limit);
    slide_by(&s, 1.75 * limit, limit);

    /* Given back, the records are the same state; what a failed step found is not. */
    size_t n = s.contacts.memory->count;
    uint64_t before = sn_self_contacts_digest(&s.contacts);
    sn_self_record *copy = SN_NEW(sn_self_record, n);
    for (size_t i = 0; i < n; i++)
        copy[i] = s.contacts.memory->data[n - 1 - i];
    self_scene_find(&s, slide);
    uint64_t springs = self_scene_digest(&s);
    sn_self_contacts_restore(&s.contacts, copy, n);
    CHECK(sn_self_contacts_digest(&s.contacts) == before, "not the state that was given");
    self_scene_find(&s, slide);
    CHECK(self_scene_digest(&s) == springs, "not the springs of the state that was given");
    sn_free(copy);

    /* Lifted a little, contacts stay for the rest of the step, and then are forgotten. */
    self_scene_approach = 0.5 - 0.01;
    self_scene_find(&s, slide);
    CHECK(self_scene_total(MPI_COMM_WORLD, s.contacts.inside) == 0, "still inside");
    CHECK(self_scene_total(MPI_COMM_WORLD, s.springs.count) > 50, "not kept");
    self_scene_must(sn_self_contacts_commit(&s.contacts, s.e.x, test_positions(&s.e)));
    CHECK(s.contacts.memory->count == 0 && s.contacts.deepest == 0, "not forgotten");
    self_scene_close(&s);
    test_bodies_free(&f);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    friction();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
