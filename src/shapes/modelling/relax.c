#include "shapes/modelling/relax.h"

enum {
    SMOOTHINGS = 5,  /* steps that even out and project */
    PROJECTIONS = 2, /* steps that only project, at the end */
};

static const double TOWARDS_MEAN = 0.6; /* part of the way that a step goes */
static const double PROBE = 0.05;       /* of a cell: where the slope is measured */
static const double LONGEST_STEP = 0.5; /* of a cell */
static const double FLAT_SLOPE = 1e-3;  /* too flat to tell where the surface lies */

typedef struct {
    double value;
    sn_vec gradient;
} local_slope;

/* From four samples at alternate corners of a small cube. */
static local_slope measure_slope(const sn_implicit *implicit, sn_vec at, double probe)
{
    static const sn_vec CORNER[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    local_slope slope = {0};
    for (int c = 0; c < 4; c++) {
        sn_vec corner = sn_vec_add(at, sn_vec_scale(CORNER[c], probe));
        double value = implicit->value(implicit->shape, corner);
        slope.value += value / 4;
        slope.gradient = sn_vec_add(slope.gradient, sn_vec_scale(CORNER[c], value / (4 * probe)));
    }
    return slope;
}

static sn_vec limited(sn_vec step, double longest)
{
    double length = sn_vec_length(step);
    return length > longest ? sn_vec_scale(step, longest / length) : step;
}

/* Along the surface by `wish` without its normal part, then back onto the surface. */
static sn_vec slide(const sn_implicit *implicit, double cell, sn_vec at, sn_vec wish)
{
    local_slope slope = measure_slope(implicit, at, PROBE * cell);
    double steepness_squared = sn_vec_dot(slope.gradient, slope.gradient);
    if (steepness_squared < FLAT_SLOPE * FLAT_SLOPE)
        return at;
    double off = (sn_vec_dot(wish, slope.gradient) + slope.value) / steepness_squared;
    sn_vec step = sn_vec_sub(wish, sn_vec_scale(slope.gradient, off));
    return sn_vec_add(at, limited(step, LONGEST_STEP * cell));
}

/* What takes each vertex to the mean of its neighbours along edges. */
static void find_wishes(const sn_quads *quads, const sn_vec *vertices, size_t n_vertices,
                        sn_vec *wish, int *degree)
{
    for (size_t v = 0; v < n_vertices; v++) {
        wish[v] = (sn_vec){0};
        degree[v] = 0;
    }
    for (size_t q = 0; q < quads->count; q++)
        for (int c = 0; c < 4; c++) {
            /* The face on the other side of the edge adds the other end. */
            int32_t from = quads->data[q].corner[c], to = quads->data[q].corner[(c + 1) % 4];
            wish[from] = sn_vec_add(wish[from], sn_vec_sub(vertices[to], vertices[from]));
            degree[from]++;
        }
    for (size_t v = 0; v < n_vertices; v++)
        wish[v] = sn_vec_scale(wish[v], TOWARDS_MEAN / (degree[v] ? degree[v] : 1));
}

void sn_relax(const sn_implicit *implicit, double cell, const sn_quads *quads, sn_vec *vertices,
              size_t n_vertices)
{
    sn_vec *wish = SN_NEW_ZERO(sn_vec, n_vertices);
    int *degree = SN_NEW(int, n_vertices);
    for (int step = 0; step < SMOOTHINGS + PROJECTIONS; step++) {
        if (step < SMOOTHINGS)
            find_wishes(quads, vertices, n_vertices, wish, degree);
        else if (step == SMOOTHINGS)
            sn_zeroed(wish, n_vertices * sizeof *wish);
#pragma omp parallel for schedule(static)
        for (size_t v = 0; v < n_vertices; v++)
            vertices[v] = slide(implicit, cell, vertices[v], wish[v]);
    }
    sn_free(wish);
    sn_free(degree);
}
