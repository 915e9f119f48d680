#include "octree/hierarchy.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/timer.h"
#include "octree/balance.h"
#include "octree/classify.h"
#include "octree/coarsen.h"
#include "octree/finest_joints.h"

/* The finest cells on the surface must be leaves, so their parents are required. */
static void parents_of_cells(const sn_key *cells, size_t n, sn_families *families)
{
    for (size_t i = 0; i < n; i++) {
        sn_family parent = {.key = sn_key_ancestor(cells[i], 1),
                            .present = (uint8_t)(1 << sn_key_child(cells[i], 0)),
                            .required = 1};
        sn_families_add(families, 1, parent);
    }
}

static sn_leaves finest_leaves(MPI_Comm comm, const sn_bodies *bodies, const sn_solid *solids,
                               sn_owners *owners)
{
    size_t n;
    sn_key *cells = sn_surface_cells(comm, bodies, solids, &n, owners);
    sn_families families = {0};
    sn_phase_begin("octree/balance");
    parents_of_cells(cells, n, &families);
    sn_free(cells);
    sn_balance(comm, owners, bodies, &families);
    sn_phase_end("octree/balance");

    sn_phase_begin("octree/classify");
    sn_classify(bodies, solids, &families);
    sn_phase_end("octree/classify");

    sn_phase_begin("octree/leaves");
    uint8_t *largest = SN_NEW(uint8_t, bodies->n);
    for (int b = 0; b < bodies->n; b++)
        largest[b] = bodies->body[b].coarsest;
    sn_leaves leaves = sn_families_leaves(&families, largest);
    sn_families_free(&families);
    sn_free(largest);
    leaves = sn_leaves_to_owners(comm, owners, leaves);
    sn_phase_end("octree/leaves");
    return leaves;
}

int sn_hierarchy_parts(int64_t finer_octants, int octants_per_rank, int size)
{
    /* A level has about a quarter of the octants of the one below it. */
    int64_t wanted = finer_octants / 4 / octants_per_rank;
    return wanted < 1 ? 1 : wanted > size ? size : (int)wanted;
}

/* The cells of the finest level that are apart, with their parts. */
static sn_parts parts_of_finest(const sn_octree *tree, const sn_parts_search *search)
{
    SN_VECTOR(sn_key) cells = {0};
    sn_key *keys = sn_octree_octant_keys(tree);
    for (sn_local i = 0; i < tree->n_octants; i++)
        if (tree->octant[i].is_element && tree->octant[i].is_apart && tree->octant[i].copy == 0)
            sn_push(&cells, keys[i]);
    sn_parts parts = sn_parts_ask(search, cells.data, cells.count, NULL);
    sn_vector_free(&cells);
    sn_free(keys);
    return parts;
}

/* Collective. */
static void warn_of_crowded_cells(MPI_Comm comm, const sn_parts_search *search)
{
    int rank;
    int64_t crowded = sn_parts_crowded(search);
    MPI_Comm_rank(comm, &rank);
    if (rank == 0 && crowded > 0)
        sn_warn("%lld cells hold more than %d parts of a body, and weld them: smaller cells would "
                "keep them apart",
                (long long)crowded, SN_MOST_PARTS);
}

/* Takes owners and leaves over. */
static sn_status create_finest(MPI_Comm comm, const sn_bodies *bodies, const sn_solid *solids,
                               sn_partition_method method, sn_owners owners, sn_leaves leaves,
                               sn_hierarchy *hierarchy)
{
    int size;
    MPI_Comm_size(comm, &size);
    sn_joints joints = {0};
    sn_parts_search *search = NULL;
    if (!sn_bodies_are_welded(bodies)) {
        search = sn_parts_search_create(comm, bodies, solids, true);
        warn_of_crowded_cells(comm, search);
        sn_phase_begin("octree/copies");
        sn_finest_joints_find(comm, &owners, bodies, search, &leaves, &joints);
        sn_phase_end("octree/copies");
    }
    sn_status status =
        sn_octree_create(comm, bodies, owners, leaves, joints, size, method, &hierarchy->level[0]);
    if (status == SN_OK && search)
        hierarchy->parts = parts_of_finest(&hierarchy->level[0], search);
    sn_parts_search_free(search);
    return status;
}

sn_status sn_hierarchy_create(MPI_Comm comm, const sn_bodies *bodies, const sn_solid *solids,
                              const sn_hierarchy_options *options, sn_hierarchy *hierarchy)
{
    int size;
    MPI_Comm_size(comm, &size);
    int per_rank = options->octants_per_rank ? options->octants_per_rank : SN_OCTANTS_PER_RANK;
    int most = options->max_levels ? options->max_levels : SN_MAX_LEVELS;
    *hierarchy = (sn_hierarchy){.bodies = bodies};
    sn_owners owners;
    sn_leaves leaves = finest_leaves(comm, bodies, solids, &owners);
    sn_octree *level = hierarchy->level;
    SN_TRY(create_finest(comm, bodies, solids, options->method, owners, leaves, hierarchy));
    hierarchy->n_levels = 1;
    sn_octree_counts counts = sn_octree_count(&level[0]);
    while (hierarchy->n_levels < most && counts.elements > SN_COARSEST_ELEMENTS) {
        int n = hierarchy->n_levels;
        int parts = sn_hierarchy_parts(counts.octants, per_rank, size);
        sn_status status = sn_octree_coarsen(&level[n - 1], parts, options->method, &level[n]);
        if (status != SN_OK) {
            sn_hierarchy_free(hierarchy);
            return status;
        }
        int64_t before = counts.elements;
        counts = sn_octree_count(&level[n]);
        if (counts.elements >= before) { /* it can't get smaller */
            sn_octree_free(&level[n]);
            break;
        }
        hierarchy->n_levels++;
    }
    sn_vector_free(&level[hierarchy->n_levels - 1].bonds); /* nothing is coarser */
    return SN_OK;
}

void sn_hierarchy_free(sn_hierarchy *hierarchy)
{
    for (int l = 0; l < hierarchy->n_levels; l++)
        sn_octree_free(&hierarchy->level[l]);
    sn_parts_free(&hierarchy->parts);
    *hierarchy = (sn_hierarchy){0};
}

uint64_t sn_hierarchy_digest(const sn_hierarchy *hierarchy)
{
    uint64_t digests[SN_MAX_LEVELS];
    for (int l = 0; l < hierarchy->n_levels; l++)
        digests[l] = sn_octree_digest(&hierarchy->level[l]);
    return sn_digest_bytes(digests, (size_t)hierarchy->n_levels * sizeof *digests);
}
