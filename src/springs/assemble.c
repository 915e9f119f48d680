/* Rows and exchanges of a set: from springs to nodes and back. */
#include "base/sort.h"
#include "partition/finder.h"
#include "partition/records.h"
#include "springs/set.h"

#include <math.h>
#include <string.h>

/* What a spring does at a node, on its way from the spring's home to the node's owner. */
typedef struct {
    uint64_t order; /* what is sorted by: the number, then the node */
    sn_key node;
    uint64_t number;
    double weight;
    sn_local index; /* of the spring: at home, then at the node's owner */
    sn_local padding;
} entry;

typedef SN_VECTOR(entry) entry_list;
typedef SN_VECTOR(sn_key) key_list;
typedef SN_VECTOR(int) rank_list;
typedef SN_VECTOR(sn_local) local_list;

/* ---- At home ---- */

static void add_entry(entry_list *list, size_t from, sn_key node, double weight)
{
    for (size_t i = from; i < list->count; i++)
        if (list->data[i].node == node) {
            list->data[i].weight += weight; /* several points hang on it */
            return;
        }
    sn_push(list, ((entry){.node = node, .weight = weight}));
}

/* In single precision, with a sum that stays the whole number that it is: a body that moves as a
 * whole pulls at no spring. What rounding took is given to the lightest, where there is room for
 * it. Points are moved by less than a millionth of a cell, which both products take for the point:
 * forces balance, torques too. */
static void round_weights(entry *e, size_t n)
{
    const double unit = 0x1p-24;
    double sum = 0;
    size_t lightest = 0;
    for (size_t i = 0; i < n; i++) {
        e[i].weight = (double)(float)(rint(e[i].weight / unit) * unit);
        sum += e[i].weight;
        lightest = fabs(e[i].weight) < fabs(e[lightest].weight) ? i : lightest;
    }
    if (n > 0)
        e[lightest].weight += rint(sum) - sum;
}

/* The entries of one spring, each node once, and what its points outside of elements add. */
static void add_spring(const sn_bodies *bodies, const sn_spring_record *r, sn_local index,
                       entry_list *list, double aside[3])
{
    size_t from = list->count;
    memset(aside, 0, 3 * sizeof *aside);
    for (int i = 0; i < SN_SPRING_POINTS; i++) {
        sn_spring_point p = sn_spring_point_of(&r->spring, i);
        if (p.weight == 0)
            continue;
        sn_key node[SN_HOST_NODES];
        double weight[SN_HOST_NODES], offset[3];
        sn_host_element_row(&r->host[i], bodies, &p.at, node, weight, offset);
        for (int k = 0; k < SN_HOST_NODES; k++)
            if (weight[k] != 0)
                add_entry(list, from, node[k], p.weight * weight[k]);
        for (int d = 0; d < 3; d++)
            aside[d] += p.weight * offset[d];
    }
    round_weights(list->data + from, list->count - from);
    for (size_t i = from; i < list->count; i++) {
        list->data[i].number = r->spring.number;
        list->data[i].index = index;
    }
}

static entry_list entries_of(sn_spring_set *set, const sn_spring_records *records)
{
    entry_list list = {0};
    sn_spring_rows *rows = &set->home;
    rows->n_rows = set->n;
    rows->first = SN_NEW_ZERO(sn_local, set->n + 1);
    if (set->law)
        set->aside = SN_NEW(double[3], set->n);
    for (sn_local i = 0; i < set->n; i++) {
        double aside[3];
        add_spring(set->tree->bodies, &records->data[i], i, &list, aside);
        if (set->law)
            memcpy(set->aside[i], aside, sizeof aside);
        rows->first[i + 1] = (sn_local)list.count;
    }
    return list;
}

static sn_status check_count(size_t n)
{
    return n <= SN_LOCAL_MAX ? SN_OK
                             : SN_FAIL(SN_MACHINE,
                                       "%zu weights of springs are more than a rank "
                                       "can count: use more ranks",
                                       n);
}

/* ---- Between ranks ---- */

/* Whom this rank's springs are sent to: every other owner of their nodes. */
static void list_sends(const entry_list *list, const int *owner, int me, sn_exchange_lists *lists)
{
    key_list pairs = {0};
    for (size_t i = 0; i < list->count; i++)
        if (owner[i] != me)
            sn_push(&pairs, (sn_key)owner[i] << 32 | (sn_key)(uint32_t)list->data[i].index);
    size_t n = sn_sort_unique_keys(pairs.data, pairs.count);
    rank_list ranks = {0};
    local_list first = {0};
    lists->send_index = SN_NEW(sn_local, n);
    for (size_t i = 0; i < n; i++) {
        int rank = (int)(pairs.data[i] >> 32);
        if (ranks.count == 0 || ranks.data[ranks.count - 1] != rank) {
            sn_push(&ranks, rank);
            sn_push(&first, (sn_local)i);
        }
        lists->send_index[i] = (sn_local)(uint32_t)pairs.data[i];
    }
    sn_push(&first, (sn_local)n);
    lists->n_send = (int)ranks.count;
    lists->send_rank = ranks.data;
    lists->send_first = first.data;
    sn_vector_free(&pairs);
}

/* The springs of others come in the order in which their entries do, which is that of their
 * sender's list; their entries get local numbers. */
static void list_receives(sn_inbox *in, int me, sn_local n_own, sn_exchange_lists *lists)
{
    entry *e = in->data;
    rank_list ranks = {0};
    local_list first = {0};
    sn_local ghosts = 0;
    for (int s = 0; s < in->sources; s++) {
        if (in->source[s] == me)
            continue;
        sn_push(&ranks, in->source[s]);
        sn_push(&first, ghosts);
        for (size_t i = in->first[s]; i < in->first[s + 1]; i++) {
            bool next = i + 1 == in->first[s + 1] || e[i + 1].number != e[i].number;
            e[i].index = n_own + ghosts;
            ghosts += next;
        }
    }
    sn_push(&first, ghosts);
    lists->n_receive = (int)ranks.count;
    lists->receive_rank = ranks.data;
    lists->receive_first = first.data;
}

/* Hands every entry to the owner of its node, and makes the exchange of springs. */
static sn_inbox hand_out(sn_spring_set *set, const entry_list *list)
{
    const sn_octree *tree = set->tree;
    int me;
    MPI_Comm_rank(tree->comm, &me);
    int *owner = SN_NEW(int, list->count);
    for (size_t i = 0; i < list->count; i++)
        owner[i] = sn_owner_of(&tree->owners, list->data[i].node);
    sn_exchange_lists lists = {0};
    list_sends(list, owner, me, &lists);
    sn_inbox in = sn_records_send(tree->comm, sizeof(entry), list->data, owner, list->count);
    list_receives(&in, me, set->n, &lists);
    set->force_exchange = sn_exchange_of_lists(tree->comm, set->n, lists);
    sn_free(owner);
    return in;
}

/* ---- At the nodes ---- */

static void sort_entries(entry *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        e[i].order = e[i].number;
    sn_sort_records(e, sizeof *e, n);
    for (size_t i = 0; i < n; i++)
        e[i].order = e[i].node;
    sn_sort_records(e, sizeof *e, n);
}

/* Rows of the touched nodes, and their keys in front of node_key. */
static sn_status fill_nodes(sn_spring_set *set, const entry *e, size_t n, key_list *touched)
{
    sn_key *own = sn_octree_node_keys(set->tree);
    sn_search search = sn_search_create(own, (size_t)set->tree->n_nodes);
    sn_spring_rows *rows = &set->nodes;
    local_list nodes = {0}, first = {0};
    rows->entry = SN_NEW(sn_spring_entry, n);
    sn_status status = check_count(n);
    for (size_t i = 0; i < n && status == SN_OK; i++) {
        if (i == 0 || e[i].node != e[i - 1].node) {
            sn_local node = sn_search_find(&search, e[i].node);
            if (node == SN_NONE)
                status = SN_FAIL(SN_MACHINE, "internal error: a spring hangs on no node");
            sn_push(touched, e[i].node);
            sn_push(&nodes, node);
            sn_push(&first, (sn_local)i);
        } else if (e[i].number == e[i - 1].number) {
            status = SN_FAIL(SN_MACHINE, "internal error: two springs have the number %llu",
                             (unsigned long long)e[i].number);
        }
        rows->entry[i] = (sn_spring_entry){e[i].index, (float)e[i].weight};
    }
    sn_push(&first, (sn_local)n);
    rows->n_rows = set->n_touched = (sn_local)nodes.count;
    rows->first = SN_RESIZE(first.data, first.count);
    set->touched = SN_RESIZE(nodes.data, nodes.count);
    sn_search_free(&search);
    sn_free(own);
    return status;
}

/* The nodes of others that springs here hang on, and the numbers of all in the home rows. */
static sn_status fill_home(sn_spring_set *set, const entry_list *list, const key_list *touched)
{
    const sn_octree *tree = set->tree;
    int me;
    MPI_Comm_rank(tree->comm, &me);
    key_list wanted = {0};
    for (size_t i = 0; i < list->count; i++)
        if (sn_owner_of(&tree->owners, list->data[i].node) != me)
            sn_push(&wanted, list->data[i].node);
    wanted.count = sn_exchange_order_ghosts(&tree->owners, wanted.data, wanted.count);
    sn_status status = sn_exchange_create(tree->comm, &tree->owners, touched->data, touched->count,
                                          wanted.data, wanted.count, &set->node_exchange);
    sn_finder finder = sn_finder_create(touched->data, touched->count, wanted.data, wanted.count);
    sn_finder_memory memory = {0};
    set->home.entry = SN_NEW(sn_spring_entry, list->count);
    for (size_t i = 0; i < list->count; i++) /* each is touched or wanted, so it is found */
        set->home.entry[i] = (sn_spring_entry){sn_finder_find(&finder, &memory, list->data[i].node),
                                               (float)list->data[i].weight};
    sn_finder_free(&finder);
    set->node_key = SN_NEW(sn_key, touched->count + wanted.count);
    if (touched->count)
        memcpy(set->node_key, touched->data, touched->count * sizeof(sn_key));
    if (wanted.count)
        memcpy(set->node_key + touched->count, wanted.data, wanted.count * sizeof(sn_key));
    sn_vector_free(&wanted);
    return status;
}

/* ---- The order of products ---- */

static sn_local length_of(const sn_spring_rows *rows, sn_local row)
{
    return rows->first[row + 1] - rows->first[row];
}

/* Counts, and puts each row behind all shorter ones and those of its length before it. */
static sn_local *rows_by_length(const sn_spring_rows *rows)
{
    sn_local longest = 0;
    for (sn_local r = 0; r < rows->n_rows; r++)
        longest = length_of(rows, r) > longest ? length_of(rows, r) : longest;
    sn_local *next = SN_NEW_ZERO(sn_local, longest + 2);
    for (sn_local r = 0; r < rows->n_rows; r++)
        next[length_of(rows, r) + 1]++;
    for (sn_local length = 0; length <= longest; length++)
        next[length + 1] += next[length];
    sn_local *row = SN_NEW(sn_local, rows->n_rows);
    for (sn_local r = 0; r < rows->n_rows; r++)
        row[next[length_of(rows, r)]++] = r;
    sn_free(next);
    return row;
}

/* Until now each row is at the place of its own number. */
static void order_rows(sn_spring_rows *rows)
{
    sn_spring_rows by_length = {.n_rows = rows->n_rows, .row = rows_by_length(rows)};
    by_length.first = SN_NEW_ZERO(sn_local, rows->n_rows + 1);
    by_length.entry = SN_NEW(sn_spring_entry, rows->first[rows->n_rows]);
    for (sn_local place = 0; place < rows->n_rows; place++) {
        sn_local row = by_length.row[place], n = length_of(rows, row);
        by_length.first[place + 1] = by_length.first[place] + n;
        for (sn_local k = 0; k < n; k++)
            by_length.entry[by_length.first[place] + k] = rows->entry[rows->first[row] + k];
    }
    sn_free(rows->first);
    sn_free(rows->entry);
    *rows = by_length;
}

sn_status sn_springs_assemble(sn_spring_set *set, sn_spring_records *records)
{
    MPI_Comm comm = set->tree->comm;
    entry_list list = entries_of(set, records);
    sn_vector_free(records);
    sn_status status = sn_agree(comm, check_count(list.count));
    if (status == SN_OK) {
        sn_inbox in = hand_out(set, &list);
        sort_entries(in.data, in.n);
        key_list touched = {0};
        status = sn_agree(comm, fill_nodes(set, in.data, in.n, &touched));
        sn_inbox_free(&in);
        if (status == SN_OK)
            status = fill_home(set, &list, &touched);
        if (status == SN_OK) {
            order_rows(&set->home);
            order_rows(&set->nodes);
        }
        sn_vector_free(&touched);
    }
    sn_vector_free(&list);
    sn_springs_place_room(set, SN_NEW(double, sn_spring_set_room(set)));
    return status;
}
