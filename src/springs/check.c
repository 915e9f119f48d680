/* Is a set of springs what springs.h promises? Every rule here is slow and obvious. */
#include "base/array.h"
#include "base/digest.h"
#include "springs/set.h"

#include <math.h>
#include <string.h>

/* Weights of a row add up to 1 for each point; rounding may leave this much. */
static const double ROUNDING = 1e-12;

static sn_local local_nodes(const sn_spring_set *set)
{
    return set->n_touched + set->node_exchange.n_ghosts;
}

static sn_local local_springs(const sn_spring_set *set)
{
    return set->n + set->force_exchange.n_ghosts;
}

static sn_status check_rows(const sn_spring_rows *rows, sn_local n_rows, sn_local n_columns)
{
    if (rows->n_rows != n_rows || rows->first[0] != 0)
        return SN_FAIL(SN_MACHINE, "%d rows of springs, not %d", rows->n_rows, n_rows);
    for (sn_local r = 0; r < n_rows; r++)
        if (rows->first[r] > rows->first[r + 1])
            return SN_FAIL(SN_MACHINE, "row %d of springs ends before it starts", r);
    for (sn_local k = 0; k < rows->first[n_rows]; k++)
        if (rows->entry[k].index < 0 || rows->entry[k].index >= n_columns)
            return SN_FAIL(SN_MACHINE, "entry %d of springs is for %d of %d", k,
                           rows->entry[k].index, n_columns);
    return SN_OK;
}

/* ---- At home ---- */

static bool has_node_twice(const sn_spring_rows *rows, sn_local place)
{
    for (sn_local k = rows->first[place]; k < rows->first[place + 1]; k++)
        for (sn_local l = rows->first[place]; l < k; l++)
            if (rows->entry[k].index == rows->entry[l].index)
                return true;
    return false;
}

/* Both ends move alike: a spring between two points does not feel it, another one does. */
static sn_status check_home_row(const sn_spring_set *set, sn_local place)
{
    const sn_spring_rows *rows = &set->home;
    sn_local s = rows->row[place];
    bool ends_in_space = !set->is_settled && set->end[s][1].body < 0;
    double sum = 0, expected = ends_in_space ? 1 : 0;
    for (sn_local k = rows->first[place]; k < rows->first[place + 1]; k++)
        sum += (double)rows->entry[k].weight;
    if (rows->first[place + 1] - rows->first[place] > SN_SPRING_NODES ||
        has_node_twice(rows, place))
        return SN_FAIL(SN_MACHINE, "spring %d hangs on too many nodes, or twice on one", s);
    if (!set->is_settled && !(fabs(sum - expected) <= ROUNDING))
        return SN_FAIL(SN_MACHINE, "the weights of spring %d add up to %g", s, sum);
    return SN_OK;
}

static sn_status check_home(const sn_spring_set *set)
{
    SN_TRY(check_rows(&set->home, set->n, local_nodes(set)));
    for (sn_local s = 0; s < set->n; s++) {
        if (s > 0 && set->number[s] <= set->number[s - 1])
            return SN_FAIL(SN_MACHINE, "springs %d and %d are out of order", s - 1, s);
        SN_TRY(check_home_row(set, s));
    }
    return SN_OK;
}

/* ---- At the nodes ---- */

static sn_status check_touched(const sn_spring_set *set)
{
    SN_TRY(check_rows(&set->nodes, set->n_touched, local_springs(set)));
    sn_key *own = sn_octree_node_keys(set->tree);
    sn_status status = SN_OK;
    for (sn_local t = 0; t < set->n_touched && status == SN_OK; t++) {
        sn_local node = set->touched[t];
        if (node < 0 || node >= set->tree->n_nodes || (t > 0 && node <= set->touched[t - 1]))
            status = SN_FAIL(SN_MACHINE, "touched node %d is out of place", t);
        else if (set->node_key[t] != own[node])
            status = SN_FAIL(SN_MACHINE, "touched node %d is another one", t);
    }
    sn_free(own);
    return status;
}

static sn_status check_order(const sn_spring_set *set, const uint64_t *number)
{
    const sn_spring_rows *rows = &set->nodes;
    for (sn_local place = 0; place < set->n_touched; place++)
        for (sn_local k = rows->first[place] + 1; k < rows->first[place + 1]; k++)
            if (number[rows->entry[k].index] <= number[rows->entry[k - 1].index])
                return SN_FAIL(SN_MACHINE, "the springs of touched node %d are out of order",
                               rows->row[place]);
    return SN_OK;
}

/* ---- Both ---- */

static void add_entry(uint64_t *digest, uint64_t number, sn_key node, float weight)
{
    struct {
        sn_key node;
        double weight;
    } entry = {node, (double)weight};
    sn_digest_add(digest, number, &entry, sizeof entry);
}

/* All entries of W, from the rows of springs and from those of nodes. */
static sn_status check_transpose(const sn_spring_set *set, const uint64_t *number)
{
    uint64_t home = 0, nodes = 0;
    const sn_spring_rows *rows = &set->home;
    for (sn_local place = 0; place < set->n; place++)
        for (sn_local k = rows->first[place]; k < rows->first[place + 1]; k++)
            add_entry(&home, number[rows->row[place]], set->node_key[rows->entry[k].index],
                      rows->entry[k].weight);
    rows = &set->nodes;
    for (sn_local place = 0; place < set->n_touched; place++)
        for (sn_local k = rows->first[place]; k < rows->first[place + 1]; k++)
            add_entry(&nodes, number[rows->entry[k].index], set->node_key[rows->row[place]],
                      rows->entry[k].weight);
    home = sn_digest_allreduce(set->tree->comm, home);
    nodes = sn_digest_allreduce(set->tree->comm, nodes);
    return home == nodes ? SN_OK
                         : SN_FAIL(SN_MACHINE, "nodes do not have the springs that hang on them");
}

/* Of the springs here, and of others' that hang on nodes here. */
static uint64_t *numbers_of(sn_spring_set *set)
{
    uint64_t *number = SN_NEW(uint64_t, local_springs(set));
    for (sn_local s = 0; s < set->n; s++)
        number[s] = set->number[s];
    sn_exchange_begin(&set->force_exchange, number, sizeof *number);
    sn_exchange_end(&set->force_exchange);
    return number;
}

sn_status sn_spring_set_check(sn_spring_set *set)
{
    if (set->n_everywhere == 0)
        return SN_OK;
    MPI_Comm comm = set->tree->comm;
    SN_TRY(sn_agree(comm, check_home(set)));
    SN_TRY(sn_agree(comm, check_touched(set)));
    SN_TRY(sn_exchange_check(&set->node_exchange, set->node_key,
                             set->node_key ? set->node_key + set->n_touched : NULL));
    SN_TRY(sn_exchange_check(&set->force_exchange, NULL, NULL));
    uint64_t *number = numbers_of(set);
    sn_status status = sn_agree(comm, check_order(set, number));
    if (status == SN_OK)
        status = check_transpose(set, number);
    sn_free(number);
    return status;
}
