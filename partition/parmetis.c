#include "partition/parmetis.h"

#include "base/array.h"

void sn_block_graph_free(sn_block_graph *graph)
{
    sn_free(graph->weight);
    sn_free(graph->neighbour_first);
    sn_free(graph->neighbour);
    sn_free(graph->shared);
    *graph = (sn_block_graph){0};
}

#ifdef SINEW_PARMETIS

#include <parmetis.h>

static idx_t *to_idx(const int64_t *values, int64_t n)
{
    idx_t *converted = SN_NEW(idx_t, n + 1); /* ParMETIS wants no null pointers */
    for (int64_t i = 0; i < n; i++)
        converted[i] = (idx_t)values[i];
    return converted;
}

/* vtxdist: where each rank's blocks start; n_ranks + 1 entries. */
static idx_t *gather_starts(MPI_Comm comm, const sn_block_graph *graph)
{
    int size;
    MPI_Comm_size(comm, &size);
    int64_t *starts = SN_NEW(int64_t, size + 1);
    MPI_Allgather(&graph->first, 1, MPI_INT64_T, starts, 1, MPI_INT64_T, comm);
    starts[size] = graph->total;
    idx_t *converted = to_idx(starts, size + 1);
    sn_free(starts);
    return converted;
}

/* Every rank of `comm` has blocks: ParMETIS refuses to work otherwise. */
static bool partition_kway(MPI_Comm comm, const sn_block_graph *graph, int parts, int *part)
{
    enum { RANDOM_SEED = 1 };
    static const real_t ALLOWED_IMBALANCE = (real_t)1.05;
    idx_t *starts = gather_starts(comm, graph);
    int64_t n_edges = graph->neighbour_first[graph->n];
    idx_t *edge_first = to_idx(graph->neighbour_first, graph->n + 1);
    idx_t *edge = to_idx(graph->neighbour, n_edges), *edge_weight = to_idx(graph->shared, n_edges);
    idx_t *weight = to_idx(graph->weight, graph->n), *answer = SN_NEW_ZERO(idx_t, graph->n + 1);
    real_t *target = SN_NEW(real_t, parts), imbalance = ALLOWED_IMBALANCE;
    for (int p = 0; p < parts; p++)
        target[p] = (real_t)(1.0 / parts);
    idx_t use_both_weights = 3, number_from_zero = 0, one = 1, n_parts = parts, cut;
    idx_t options[3] = {1, 0, RANDOM_SEED};
    int result = ParMETIS_V3_PartKway(starts, edge_first, edge, weight, edge_weight,
                                      &use_both_weights, &number_from_zero, &one, &n_parts, target,
                                      &imbalance, options, &cut, answer, &comm);
    for (int i = 0; i < graph->n; i++)
        part[i] = (int)answer[i];
    sn_free(starts);
    sn_free(edge_first);
    sn_free(edge);
    sn_free(edge_weight);
    sn_free(weight);
    sn_free(answer);
    sn_free(target);
    return result == METIS_OK;
}

static bool every_part_used(MPI_Comm comm, const int *part, int n, int parts)
{
    int *used = SN_NEW_ZERO(int, parts), all = 1;
    for (int i = 0; i < n; i++)
        used[part[i]] = 1;
    MPI_Allreduce(MPI_IN_PLACE, used, parts, MPI_INT, MPI_MAX, comm);
    for (int p = 0; p < parts; p++)
        all = all && used[p];
    sn_free(used);
    return all;
}

bool sn_parmetis_partition(MPI_Comm comm, const sn_block_graph *graph, int parts, int *part,
                           const char **reason)
{
    MPI_Comm with_blocks;
    MPI_Comm_split(comm, graph->n > 0 ? 0 : MPI_UNDEFINED, 0, &with_blocks);
    int good = 1;
    if (with_blocks != MPI_COMM_NULL) {
        good = partition_kway(with_blocks, graph, parts, part);
        MPI_Comm_free(&with_blocks);
    }
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
    if (!good) {
        *reason = "ParMETIS failed";
        return false;
    }
    *reason = "ParMETIS left a rank without octants";
    return every_part_used(comm, part, graph->n, parts);
}

#else

bool sn_parmetis_partition(MPI_Comm comm, const sn_block_graph *graph, int parts, int *part,
                           const char **reason)
{
    (void)comm, (void)graph, (void)parts, (void)part;
    *reason = "this build has no ParMETIS";
    return false;
}

#endif
