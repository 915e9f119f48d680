#include "mesh/parts/joints.h"

#include <stdlib.h>

/* Points along each axis of a face that are always looked at. */
enum { SAMPLES = 4 };

typedef struct {
    sn_part_cell *cell;
    int face;
    sn_face_section *inner, *outer;
    sn_part_joints *joints;
    size_t first; /* of the joints of this face */
    bool closed;
} joiner;

/* A region is known by its lowest triangle; one that fills the face has none. */
static uint64_t region_number(const sn_part_cell *cell, int32_t root)
{
    return root < cell->n ? (uint64_t)cell->number[root] + 1 : 0;
}

/* The region below the face comes first, from either side. */
static void add_joint(joiner *j, int32_t inner, int32_t outer)
{
    uint64_t mine = region_number(j->cell, inner), other = region_number(j->cell, outer);
    uint64_t below = j->face & 1 ? mine : other, above = j->face & 1 ? other : mine;
    sn_push(j->joints, ((sn_part_joint){below << 32 | above, inner}));
}

/* Do the sections on both sides of the plane differ? Vertices in the plane may be the reason, and
 * edges that pass through the border of the face. */
static bool sections_differ(const sn_part_cell *cell, int face)
{
    const sn_lattice_square *s = &cell->face[0][face];
    bool differ = false;
    for (int32_t i = 0; i < cell->n; i++)
        for (int c = 0; c < 3; c++)
            differ = differ || cell->triangle.data[i].corner[c][s->axis] == s->low.at[s->axis];
    for (size_t i = 0; i < cell->edge.count; i++) {
        const sn_edge_use *use = &cell->edge.data[i];
        differ = differ || ((use->faces[0] ^ use->faces[1]) >> face & 1);
    }
    return differ;
}

static void add_regions(joiner *j)
{
    sn_face_section *s = j->inner;
    for (int32_t i = 0; i < j->cell->n; i++)
        if (s->has.data[i] && sn_elements_find(&s->root, i) == i)
            add_joint(j, i, i);
    for (int c = 0; c < SN_FACE_CORNERS; c++) {
        int32_t element = j->cell->n + s->corner[c];
        if (s->winding[c] != 0 && sn_elements_find(&s->root, element) == element)
            add_joint(j, element, element);
    }
}

/* ---- Sections that differ ---- */

/* From one side of the plane to the other: is there a moment of outside? */
static bool is_closed_off(joiner *j, const sn_lattice_point *p, int winding)
{
    sn_part_cell *cell = j->cell;
    int axis = j->inner->face.axis;
    sn_lattice_point from = *p, to = *p;
    from.tie[axis] = -1;
    to.tie[axis] = 1;
    sn_cell_line(cell, &from, &to, axis, &cell->line);
    bool outside = false;
    for (size_t i = 0; i < cell->line.count; i++) {
        winding += cell->line.data[i].sign;
        outside = outside || winding == 0;
    }
    return outside;
}

static void try_point(joiner *j, sn_lattice_point p)
{
    int axis = j->inner->face.axis, in_winding, out_winding;
    p.tie[axis] = j->inner->face.low.tie[axis];
    int32_t inner = sn_face_section_locate(j->inner, j->cell, p, &in_winding);
    p.tie[axis] = -p.tie[axis];
    int32_t outer = sn_face_section_locate(j->outer, j->cell, p, &out_winding);
    if (in_winding == 0 || out_winding == 0)
        return;
    if (is_closed_off(j, &p, j->face & 1 ? in_winding : out_winding))
        j->closed = true;
    else
        add_joint(j, sn_elements_find(&j->inner->root, inner),
                  sn_elements_find(&j->outer->root, outer));
}

/* Triangles that go straight through the plane are in both. */
static void join_by_triangles(joiner *j)
{
    int axis = j->inner->face.axis;
    int32_t plane = j->inner->face.low.at[axis];
    for (int32_t i = 0; i < j->cell->n; i++) {
        const sn_lattice_triangle *t = &j->cell->triangle.data[i];
        if (t->low[axis] < plane && t->high[axis] > plane && j->inner->has.data[i] &&
            j->outer->has.data[i])
            add_joint(j, sn_elements_find(&j->inner->root, i),
                      sn_elements_find(&j->outer->root, i));
    }
}

static void other_axes(const joiner *j, int *across, int *along)
{
    int axis = j->inner->face.axis;
    *across = axis == 0;
    *along = axis == 2 ? 1 : 2;
}

static int compare_places(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The middles of all stretches of a line through the face. */
static void try_line(joiner *j, sn_lattice_point foot, int along)
{
    const sn_lattice_square *s = &j->inner->face;
    SN_VECTOR(int32_t) place = {0};
    sn_push(&place, s->low.at[along]);
    sn_push(&place, s->high.at[along]);
    for (int outward = 0; outward < 2; outward++) {
        foot.tie[s->axis] = -foot.tie[s->axis];
        sn_cell_line(j->cell, &foot, &s->high, along, &j->cell->line);
        for (size_t i = 0; i < j->cell->line.count; i++)
            sn_push(&place, j->cell->line.data[i].whole);
    }
    qsort(place.data, place.count, sizeof *place.data, compare_places);
    for (size_t i = 1; i < place.count; i++) {
        foot.at[along] = place.data[i - 1] + (place.data[i] - place.data[i - 1]) / 2;
        if (foot.at[along] > s->low.at[along])
            try_point(j, foot);
    }
    sn_vector_free(&place);
}

/* Lines through the middles of all segments. */
static void join_by_lines(joiner *j, const sn_face_section *section)
{
    int across, along;
    other_axes(j, &across, &along);
    for (int32_t i = 0; i < j->cell->n; i++) {
        double end[2][3];
        if (!section->has.data[i] || !sn_face_section_segment(section, j->cell, i, end))
            continue;
        double middle = (end[0][across] + end[1][across]) / 2;
        if (!(middle > 0 && middle < 1))
            continue;
        sn_lattice_point foot = j->inner->face.low;
        foot.at[across] += (int32_t)(middle * SN_LATTICE_CELL);
        try_line(j, foot, along);
    }
}

static void join_by_samples(joiner *j)
{
    int across, along;
    other_axes(j, &across, &along);
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        sn_lattice_point p = j->inner->face.low;
        p.at[across] += (2 * (i % SAMPLES) + 1) * SN_LATTICE_CELL / (2 * SAMPLES);
        p.at[along] += (2 * (i / SAMPLES) + 1) * SN_LATTICE_CELL / (2 * SAMPLES);
        try_point(j, p);
    }
}

static int compare_joints(const void *a, const void *b)
{
    const sn_part_joint *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static void sort_unique(joiner *j)
{
    sn_part_joint *joint = j->joints->data + j->first;
    size_t n = j->joints->count - j->first, kept = 0;
    if (n == 0)
        return;
    qsort(joint, n, sizeof *joint, compare_joints);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || joint[i].number != joint[kept - 1].number)
            joint[kept++] = joint[i];
    j->joints->count = j->first + kept;
}

bool sn_joints_find(sn_part_cell *cell, int face, sn_face_section *inner, sn_face_section *outer,
                    sn_part_joints *joints)
{
    joiner j = {cell, face, inner, outer, joints, joints->count, false};
    sn_face_section_make(inner, cell, face, 0);
    if (sections_differ(cell, face)) {
        sn_face_section_make(outer, cell, face, 1);
        join_by_triangles(&j);
        join_by_lines(&j, inner);
        join_by_lines(&j, outer);
        join_by_samples(&j);
    } else {
        add_regions(&j);
    }
    sort_unique(&j);
    return j.closed;
}
