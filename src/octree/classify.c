#include "octree/classify.h"

enum { CHUNK = 128, MOST_QUERIES = 8 * CHUNK };

/* Children that hang together by faces, from the lowest of `among`. Without surface between
 * them, the winding number of a closed mesh is the same in all. */
static int connected_children(int among)
{
    int group = among & -among, before;
    do {
        before = group;
        int x = (group & 0x55) << 1 | (group & 0xaa) >> 1;
        int y = (group & 0x33) << 2 | (group & 0xcc) >> 2;
        int z = (group & 0x0f) << 4 | (group & 0xf0) >> 4;
        group = (group | x | y | z) & among;
    } while (group != before);
    return group;
}

static void child_centre(const sn_body *body, sn_key family, int height, int child,
                         double centre[3])
{
    uint32_t xyz[3];
    sn_key_anchor(family, xyz);
    double half = 0.25 * sn_edge(height); /* half the child's edge */
    for (int d = 0; d < 3; d++)
        centre[d] = body->origin[d] + body->cell * (xyz[d] + half * (child >> d & 1 ? 3.0 : 1.0));
}

typedef struct {
    sn_family *family;
    int children; /* that the answer holds for */
} question;

/* The questions that a family asks, one for each group of children. */
static size_t ask(sn_family *family, int height, const sn_body *body, bool closed,
                  question *questions, double (*points)[3])
{
    size_t n = 0;
    int open = 0xff & ~(family->internal | family->present);
    while (open) {
        int group = closed ? connected_children(open) : open & -open;
        child_centre(body, family->key, height, __builtin_ctz((unsigned)group), points[n]);
        questions[n++] = (question){family, group};
        open &= ~group;
    }
    return n;
}

/* A run of families of one body. */
static void classify_run(const sn_body *body, const sn_solid *solid, sn_family *families, size_t n,
                         int height)
{
    question questions[MOST_QUERIES];
    double points[MOST_QUERIES][3], winding[MOST_QUERIES];
    size_t asked = 0;
    for (size_t i = 0; i < n; i++)
        if (families[i].required)
            asked +=
                ask(&families[i], height, body, solid->closed, questions + asked, points + asked);
    sn_winding_batch(solid->winding, (const double(*)[3])points, asked, winding);
    for (size_t q = 0; q < asked; q++)
        if (sn_is_inside(winding[q]))
            questions[q].family->present |= (uint8_t)questions[q].children;
}

static void classify_chunk(const sn_bodies *bodies, const sn_solid *solids, sn_family *families,
                           size_t n, int height)
{
    for (size_t first = 0, next; first < n; first = next) {
        int body = sn_key_body(families[first].key);
        for (next = first + 1; next < n && sn_key_body(families[next].key) == body;)
            next++;
        classify_run(&bodies->body[body], &solids[body], families + first, next - first, height);
    }
}

void sn_classify(const sn_bodies *bodies, const sn_solid *solids, sn_families *families)
{
    for (int height = 1; height < SN_MAX_HEIGHTS; height++) {
        sn_family_list *list = &families->at[height];
        size_t chunks = (list->count + CHUNK - 1) / CHUNK;
#pragma omp parallel for schedule(dynamic)
        for (size_t c = 0; c < chunks; c++) {
            size_t from = c * CHUNK, n = list->count - from < CHUNK ? list->count - from : CHUNK;
            classify_chunk(bodies, solids, list->data + from, n, height);
        }
    }
}
