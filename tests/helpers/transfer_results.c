#include "helpers/transfer_results.h"

#include "base/array.h"
#include "curve/search.h"
#include "helpers/check.h"
#include "transfer/points.h"

#include <string.h>

static float *as_floats(const double *values, sn_local n)
{
    float *floats = SN_NEW(float, n);
    for (sn_local i = 0; i < n; i++)
        floats[i] = (float)values[i];
    return floats;
}

static void compute_nodes(level_pair *pair, results *r)
{
    sn_transfer *t = &pair->transfer;
    sn_local n_fine = pair->fine->n_nodes, n_coarse = pair->coarse->n_nodes;
    sn_local coarse_room = sn_transfer_room_coarse_nodes(t), room = sn_transfer_room_fine_nodes(t);
    double *coarse = key_values(pair->coarse_node, n_coarse, coarse_room, 3, key_random);
    double *fine = key_values(pair->fine_node, n_fine, room, 3, key_random);
    float *coarse_f32 = as_floats(coarse, 3 * coarse_room), *fine_f32 = as_floats(fine, 3 * room);
    r->prolonged = key_values(pair->fine_node, n_fine, n_fine, 3, key_random);
    r->prolonged_f32 = as_floats(r->prolonged, 3 * n_fine);
    r->restricted = SN_NEW(double, 3 * n_coarse);
    r->restricted_f32 = SN_NEW(float, 3 * n_coarse);
    r->mass = SN_NEW(double, n_coarse);
    sn_prolong_add_f64(t, coarse, r->prolonged);
    sn_prolong_add_f32(t, coarse_f32, r->prolonged_f32);
    sn_restrict_f64(t, fine, r->restricted);
    sn_restrict_f32(t, fine_f32, r->restricted_f32);
    for (sn_local i = 0; i < n_fine; i++)
        fine[i] = key_random(pair->fine_node[i], 7);
    sn_restrict_scalar_f64(t, fine, r->mass);
    sn_free(coarse);
    sn_free(fine);
    sn_free(coarse_f32);
    sn_free(fine_f32);
}

bool results_pinned(sn_key node)
{
    uint32_t xyz[3];
    sn_key_anchor(node, xyz);
    return xyz[0] < 7 || key_random(node, 5) > 0.6;
}

static void compute_pins(level_pair *pair, results *r)
{
    uint8_t *pinned = SN_NEW(uint8_t, pair->fine->n_nodes);
    for (sn_local i = 0; i < pair->fine->n_nodes; i++)
        pinned[i] = results_pinned(pair->fine_node[i]);
    r->pins = SN_NEW(uint8_t, pair->coarse->n_nodes);
    sn_restrict_pins(&pair->transfer, pinned, r->pins);
    sn_free(pinned);
}

double results_stiffness(sn_key element)
{
    return 1.5 + key_random(element, 11);
}

float results_point(sn_key element, int d)
{
    return (float)key_random(element, 12 + d);
}

static void compute_points(level_pair *pair, results *r)
{
    sn_local n = pair->fine->n_elements;
    double *stiffness = SN_NEW(double, n);
    float(*point)[3] = SN_NEW(float[3], n);
    for (sn_local e = 0; e < n; e++) {
        stiffness[e] = results_stiffness(pair->fine_element.key[e]);
        for (int d = 0; d < 3; d++)
            point[e][d] = results_point(pair->fine_element.key[e], d);
    }
    CHECK(sn_coarsen_points(&pair->transfer, pair->fine, pair->coarse, stiffness,
                            (const float(*)[3])point, &r->point) == SN_OK,
          "%s", sn_failure_message());
    sn_free(stiffness);
    sn_free(point);
}

results results_compute(level_pair *pair)
{
    results r;
    compute_nodes(pair, &r);
    compute_pins(pair, &r);
    compute_points(pair, &r);
    sn_local n = pair->fine->n_elements, n_coarse = pair->coarse->n_elements;
    sn_local room = sn_transfer_room_fine_elements(&pair->transfer);
    double *fine = key_values(pair->fine_element.key, n, room, GRADIENT_REALS, key_random);
    float *narrow = SN_NEW(float, GRADIENT_REALS *room);
    for (sn_local i = 0; i < GRADIENT_REALS * room; i++)
        narrow[i] = (float)fine[i];
    r.gradient = SN_NEW(float, GRADIENT_REALS *n_coarse);
    sn_coarsen_gradient(&pair->transfer.children, GRADIENT_REALS, narrow, r.gradient);
    sn_free(narrow);
    sn_free(fine);
    fine = key_values(pair->fine_element.key, n, room, SN_LAW_PARAMETERS, key_random);
    sn_law_parameters *parameters = SN_NEW(sn_law_parameters, room);
    for (sn_local i = 0; i < SN_LAW_PARAMETERS * room; i++)
        parameters[i / SN_LAW_PARAMETERS].of[i % SN_LAW_PARAMETERS] = (float)fine[i];
    r.parameters = SN_NEW(sn_law_parameters, n_coarse);
    sn_coarsen_parameters(&pair->transfer.children, SN_LAW_COROTATED, parameters, r.parameters);
    sn_free(parameters);
    sn_free(fine);
    return r;
}

void results_free(results *r)
{
    sn_free(r->prolonged);
    sn_free(r->restricted);
    sn_free(r->mass);
    sn_free(r->parameters);
    sn_free(r->gradient);
    sn_free(r->prolonged_f32);
    sn_free(r->restricted_f32);
    sn_free(r->pins);
    sn_free(r->point);
}

/* Are the entries of these keys, byte for byte, those that one rank alone has for them? */
static bool same(const sn_key *keys, sn_local n, const void *values, const sn_search *all_keys,
                 const void *all_values, size_t bytes)
{
    for (sn_local i = 0; i < n; i++) {
        sn_local at = sn_search_find(all_keys, keys[i]);
        if (at == SN_NONE || memcmp((const char *)values + bytes * (size_t)i,
                                    (const char *)all_values + bytes * (size_t)at, bytes))
            return false;
    }
    return true;
}

static const char *first_different(const char *const *name, const bool *is_same, int n)
{
    for (int i = 0; i < n; i++)
        if (!is_same[i])
            return name[i];
    return NULL;
}

static const char *compare_nodes(const level_pair *p, const results *r, const level_pair *alone,
                                 const results *all)
{
    enum { RESULTS = 6 };
    static const char *const name[RESULTS] = {"P",           "P in single", "R",
                                              "R in single", "a mass",      "a pin"};
    const sn_key *fine = p->fine_node, *coarse = p->coarse_node;
    sn_local n = p->fine->n_nodes, m = p->coarse->n_nodes;
    sn_search f = sn_search_create(alone->fine_node, (size_t)alone->fine->n_nodes);
    sn_search c = sn_search_create(alone->coarse_node, (size_t)alone->coarse->n_nodes);
    const size_t d = sizeof(double), s = sizeof(float);
    const bool is_same[RESULTS] = {
        same(fine, n, r->prolonged, &f, all->prolonged, 3 * d),
        same(fine, n, r->prolonged_f32, &f, all->prolonged_f32, 3 * s),
        same(coarse, m, r->restricted, &c, all->restricted, 3 * d),
        same(coarse, m, r->restricted_f32, &c, all->restricted_f32, 3 * s),
        same(coarse, m, r->mass, &c, all->mass, d),
        same(coarse, m, r->pins, &c, all->pins, 1)};
    sn_search_free(&f);
    sn_search_free(&c);
    return first_different(name, is_same, RESULTS);
}

const char *results_compare(const level_pair *p, const results *r, const level_pair *alone,
                            const results *all)
{
    enum { RESULTS = 3 };
    static const char *const name[RESULTS] = {"a parameter of the law", "a deformation gradient",
                                              "a point"};
    const char *node = compare_nodes(p, r, alone, all);
    const sn_key *keys = p->coarse_element.key;
    sn_local n = p->coarse->n_elements, local = (sn_local)p->coarse_element.n;
    sn_search e = sn_search_create(alone->coarse_element.key, (size_t)alone->coarse->n_elements);
    const bool is_same[RESULTS] = {
        same(keys, n, r->parameters, &e, all->parameters, sizeof *r->parameters),
        same(keys, n, r->gradient, &e, all->gradient, GRADIENT_REALS * sizeof(float)),
        same(keys, local, r->point, &e, all->point, sizeof *r->point)};
    sn_search_free(&e);
    return node ? node : first_different(name, is_same, RESULTS);
}
