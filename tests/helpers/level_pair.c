#include "helpers/level_pair.h"

#include "base/array.h"
#include "base/digest.h"

sn_status level_pair_create(const sn_octree *fine, const sn_octree *coarse, level_pair *pair)
{
    *pair = (level_pair){.fine = fine, .coarse = coarse};
    SN_TRY(sn_transfer_create(fine, coarse, &pair->transfer));
    pair->fine_node = sn_octree_node_keys(fine);
    pair->coarse_node = sn_octree_node_keys(coarse);
    pair->fine_element = sn_octree_elements(fine);
    pair->coarse_element = sn_octree_elements(coarse);
    return SN_OK;
}

void level_pair_free(level_pair *pair)
{
    sn_transfer_free(&pair->transfer);
    sn_free(pair->fine_node);
    sn_free(pair->coarse_node);
    sn_leaves_free(&pair->fine_element);
    sn_leaves_free(&pair->coarse_element);
}

static uint64_t hash(sn_key key, int salt)
{
    uint64_t both[2] = {key, (uint64_t)salt};
    return sn_digest_bytes(both, sizeof both);
}

double key_random(sn_key key, int salt)
{
    return (double)(hash(key, salt) >> 11) * 0x1p-52 - 1;
}

double key_integer(sn_key key, int salt)
{
    return (double)(hash(key, salt) % 2001) - 1000;
}

double *key_values(const sn_key *keys, sn_local n, sn_local room, int reals,
                   double (*value)(sn_key key, int salt))
{
    double *values = SN_NEW_ZERO(double, (size_t)room *(size_t)reals);
    for (sn_local i = 0; i < n; i++)
        for (int r = 0; r < reals; r++)
            values[i * reals + r] = value(keys[i], r);
    return values;
}

static bool has_point(sn_key element, int height, const uint32_t point[3], uint32_t at[3])
{
    uint32_t anchor[3];
    sn_key_anchor(element, anchor);
    for (int d = 0; d < 3; d++) {
        if (point[d] < anchor[d] || point[d] > anchor[d] + sn_edge(height))
            return false;
        at[d] = point[d] - anchor[d];
    }
    return true;
}

double oracle_interpolate(const level_pair *pair, const double *coarse, sn_key point)
{
    for (sn_local i = 0; i < pair->coarse->n_nodes; i++)
        if (pair->coarse_node[i] == point)
            return coarse[i];
    const sn_leaves *elements = &pair->coarse_element;
    uint32_t xyz[3], at[3];
    sn_key_anchor(point, xyz);
    size_t largest = elements->n;
    for (size_t e = 0; e < elements->n; e++)
        if (sn_key_body(elements->key[e]) == sn_key_body(point) &&
            has_point(elements->key[e], elements->height[e], xyz, at) &&
            (largest == elements->n || elements->height[e] > elements->height[largest]))
            largest = e;
    if (largest == elements->n)
        return 1e300; /* nothing is like it */
    uint32_t anchor[3], edge = sn_edge(elements->height[largest]);
    has_point(elements->key[largest], elements->height[largest], xyz, at);
    sn_key_anchor(elements->key[largest], anchor);
    double sum = 0;
    for (uint32_t corner = 0; corner < 8; corner++) {
        double weight = 1;
        uint32_t c[3];
        for (int d = 0; d < 3; d++) {
            weight *= (double)(corner >> d & 1 ? at[d] : edge - at[d]) / edge;
            c[d] = anchor[d] + (corner >> d & 1) * edge;
        }
        if (weight > 0) /* a corner that hangs is smaller than what it hangs on: this ends */
            sum += weight * oracle_interpolate(pair, coarse,
                                               sn_key_of(sn_key_body(point), c[0], c[1], c[2]));
    }
    return sum;
}

double oracle_sum(const level_pair *pair, const double *fine, sn_local coarse, int *count)
{
    double sum = 0;
    *count = 0;
    for (sn_local e = 0; e < pair->fine->n_elements; e++)
        if (sn_key_ancestor(pair->fine_element.key[e], pair->coarse_element.height[coarse]) ==
            pair->coarse_element.key[coarse]) {
            sum += fine[e];
            (*count)++;
        }
    return sum;
}
