#include "plan/forecast.h"

#include "base/array.h"
#include "multigrid/amli.h"

#include <math.h>

/* Vectors of the finest level: those that a stepper keeps, and those that a step and its Newton
 * iterations have for their time. Beside them are those that are lent: to linear solves, with what
 * cycles need in either precision; to corrections; to nobody, while gradients are made; or the
 * force of elements only, and no other of Newton's, while contacts are searched for. */
enum { KEPT_FIELDS = 4, STEP_FIELDS = 1, NEWTON_FIELDS = 2 };
enum { LINEAR_FIELDS = 4, WIDE_LINEAR_FIELDS = 6, CORRECTION_FIELDS = 3, SEARCH_FIELDS = 1 };
enum { SPARE_FIELDS = 2 };

/* Bytes of the finest elements, with ghosts: their kind of material, the fraction that is inside
 * and its centroid twice; and factors of damping, and strains. */
enum { MATERIAL_BYTES = 4 + 8 + 2 * 12 };
enum { DAMPING_BYTES = (sizeof(sn_pack_f64) + sizeof(sn_strain_batch)) / SN_LANES_F64 };

/* Exchanges of a level in a cycle beside those of smoothers: the residual's and both transfers'. */
enum { CYCLE_EXCHANGES = 3 };

/* Of levels whose unknowns can turn, for each node above them: assumed where a trial had none. */
static const double RIGID_BYTES = 1000;

/* Sums over all ranks in an iteration. */
enum { REDUCTIONS = 4 };

sn_layout sn_layout_cut(const sn_whole_level *level, int n_levels, int size, sn_law_kind law,
                        bool single, int threads)
{
    sn_layout layout = {.size = size, .n_levels = n_levels, .n_systems = n_levels};
    for (int l = 0; l < n_levels; l++) {
        sn_cut cut = {.parts = size,
                      .size = size,
                      .has_operator = true,
                      .law = law,
                      .single = single,
                      .keeps_gradients = l > 0,
                      .threads = threads};
        if (l > 0)
            cut.parts = sn_hierarchy_parts(level[l - 1].tree.n_octants, SN_OCTANTS_PER_RANK, size);
        layout.rank[l] = SN_NEW(sn_part, size);
        sn_cut_level(&level[l].tree, &cut, layout.rank[l]);
    }
    return layout;
}

void sn_layout_free(sn_layout *layout)
{
    for (int l = 0; l < layout->n_levels; l++)
        sn_free(layout->rank[l]);
    *layout = (sn_layout){0};
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

sn_layout_level sn_layout_level_of(const sn_layout *layout, int level)
{
    sn_layout_level s = {0};
    for (int r = 0; r < layout->size; r++) {
        const sn_part *p = &layout->rank[level][r];
        s.ranks += p->octants > 0;
        s.elements += p->elements;
        s.elements_most = larger(s.elements_most, p->elements);
        s.ghost_elements += p->ghost_elements;
        s.ghost_elements_most = larger(s.ghost_elements_most, p->ghost_elements);
        s.ghost_nodes += p->ghost_nodes;
        s.ghost_nodes_most = larger(s.ghost_nodes_most, p->ghost_nodes);
        s.neighbours_most = larger(s.neighbours_most, p->neighbours);
    }
    s.imbalance = s.elements ? (double)s.elements_most * s.ranks / (double)s.elements : 1;
    return s;
}

static double field_bytes(const sn_part *p)
{
    return (double)(p->nodes + p->ghost_nodes) * SN_NODE_REALS * sizeof(double);
}

static double local_elements(const sn_part *p)
{
    return (double)(p->elements + p->ghost_elements);
}

static double finest_bytes(const sn_part *p, const sn_trial *trial)
{
    double bytes = MATERIAL_BYTES * local_elements(p);
    if (trial->damped)
        bytes += DAMPING_BYTES * local_elements(p);
    return KEPT_FIELDS * field_bytes(p) + bytes;
}

/* Can unknowns turn below the systems? */
static bool is_rigid(const sn_layout *layout)
{
    return layout->n_systems < layout->n_levels;
}

static bool is_repeated(const sn_layout *layout, const sn_trial *trial, int level)
{
    sn_multigrid_settings settings = trial->multigrid;
    settings.amli_from = layout->repeats_from;
    return sn_level_is_repeated(&settings, layout->n_systems, is_rigid(layout), level);
}

static size_t coarsest_nodes(const sn_layout *layout)
{
    size_t nodes = 0;
    for (int r = 0; r < layout->size; r++)
        nodes += (size_t)layout->rank[layout->n_systems - 1][r].nodes;
    return nodes;
}

/* What does not follow from a rank's octants alone, on all ranks together. */
typedef struct {
    double surface_cells, elements;
    double ties; /* bytes, as the next */
    double stays;
    double contacts; /* a number */
} totals;

static totals totals_of(const sn_layout *layout)
{
    totals all = {0};
    for (int r = 0; r < layout->size; r++) {
        all.surface_cells += (double)layout->rank[0][r].finest_elements;
        all.elements += (double)layout->rank[0][r].elements;
    }
    all.surface_cells = fmax(all.surface_cells, 1);
    all.elements = fmax(all.elements, 1);
    return all;
}

static totals totals_of_trial(const sn_layout *layout, const sn_trial *trial)
{
    totals all = totals_of(layout);
    all.ties = trial->weights.ties;
    all.stays = trial->weights.stays;
    all.contacts = trial->weights.contacts;
    return all;
}

/* Springs tie surfaces of bones and hold slivers at the surface, so their number grows with the
 * square. */
static totals totals_of_shot(const sn_layout *layout, const sn_trial *trial)
{
    totals all = totals_of(layout);
    const sn_weights_of_shot *w = &trial->weights;
    all.ties = w->ties * trial->larger * trial->larger;
    all.stays = w->stays * trial->larger * trial->larger;
    all.contacts = fmax(w->contacts, trial->contact_share * w->vertices);
    return all;
}

/* A rank's part of the surfaces is that of the cells which they pass through. */
static double surface_share(const sn_layout *layout, int rank, const totals *all)
{
    return (double)layout->rank[0][rank].finest_elements / all->surface_cells;
}

/* What is below the systems: the exact solve, or levels whose unknowns can turn. */
static double coarsest_bytes(const sn_layout *layout, const sn_weights_of_shot *w, int rank)
{
    const sn_part *p = &layout->rank[layout->n_systems - 1][rank];
    if (is_rigid(layout))
        return (double)p->nodes * (w->rigid > 0 ? w->rigid : RIGID_BYTES);
    return p->octants > 0 ? (double)sn_direct_memory_of(coarsest_nodes(layout), SN_NODE_REALS) : 0;
}

/* What is there all the time. */
static double held_bytes(const sn_layout *layout, const sn_trial *trial, int rank,
                         const totals *all)
{
    const sn_weights_of_shot *w = &trial->weights;
    const sn_part *finest = &layout->rank[0][rank];
    double at_surface = w->surface + w->contact * all->contacts + all->stays;
    double bytes = surface_share(layout, rank, all) * at_surface +
                   (double)finest->elements * (w->locators + all->ties / all->elements) +
                   w->colliders + finest_bytes(finest, trial);
    for (int l = 0; l < layout->n_systems; l++) {
        const sn_part *p = &layout->rank[l][rank];
        bytes += (double)p->bytes + (double)sn_system_nodal_memory((size_t)p->nodes, l == 0);
        if (l > 0)
            bytes +=
                (double)sn_multigrid_nodal_memory((size_t)p->nodes, (size_t)p->ghost_nodes,
                                                  trial->single, is_repeated(layout, trial, l));
        if (l + 1 < layout->n_systems)
            bytes += w->transfer * (double)p->nodes;
    }
    return bytes + coarsest_bytes(layout, w, rank);
}

/* What comes and goes in a step: its own field, and the most of what Newton's iterations have with
 * linear solves, with corrections and while gradients of two levels are made, and of what a search
 * for contacts has, or what makes springs of them. */
static double step_bytes(const sn_layout *layout, const sn_trial *trial, int rank,
                         const totals *all)
{
    const sn_weights_of_shot *w = &trial->weights;
    const sn_part *finest = &layout->rank[0][rank];
    double field = field_bytes(finest), gradients = local_elements(finest) * sizeof(float[9]);
    if (layout->n_systems > 1)
        gradients += local_elements(&layout->rank[1][rank]) * sizeof(float[9]);
    double contact =
        surface_share(layout, rank, all) * fmax(w->search, w->new_contact * all->contacts);
    double linear = (trial->single ? LINEAR_FIELDS : WIDE_LINEAR_FIELDS) * field;
    double newton = fmax(linear, CORRECTION_FIELDS * field);
    newton = fmax(newton, SPARE_FIELDS * field + gradients);
    double search = SEARCH_FIELDS * field + contact;
    return STEP_FIELDS * field + fmax(NEWTON_FIELDS * field + newton, search);
}

/* Bytes of a rank's arrays at the peak of its steps, as far as they can be counted. */
static double counted_bytes(const sn_layout *layout, const sn_trial *trial, int rank,
                            const totals *all)
{
    return held_bytes(layout, trial, rank, all) + step_bytes(layout, trial, rank, all);
}

/* At the peak of all: that of a step, or while files are written, or before, while a shot is built.
 */
static double rank_bytes(const sn_layout *layout, const sn_trial *trial, const sn_rates *rates,
                         int rank, const totals *all)
{
    double writing = trial->weights.writing * (double)layout->rank[0][rank].elements;
    double held = rates->peak_to_count * held_bytes(layout, trial, rank, all);
    double step = rates->peak_to_count * step_bytes(layout, trial, rank, all);
    double building = rates->build_per_element * (double)layout->rank[0][rank].elements;
    return fmax(held + fmax(step, writing), building) + trial->other_bytes;
}

/* How often a cycle comes to a level, times the elements of the rank that has most there. */
static double elements_of_cycle(const sn_layout *layout, const sn_trial *trial)
{
    double visits = 1, sum = 0;
    for (int l = 0; l < layout->n_systems; l++) {
        double most = 0;
        for (int r = 0; r < layout->size; r++)
            most = fmax(most, local_elements(&layout->rank[l][r]));
        if (is_repeated(layout, trial, l))
            visits *= SN_AMLI_DEGREE;
        sum += visits * most;
    }
    return sum;
}

static double most_elements(const sn_layout *layout)
{
    double most = 0;
    for (int r = 0; r < layout->size; r++)
        most = fmax(most, local_elements(&layout->rank[0][r]));
    return most;
}

sn_rates sn_rates_of(const sn_trial *trial, const sn_layout *layout)
{
    double counted = 0;
    totals all = totals_of_trial(layout, trial);
    for (int r = 0; r < layout->size; r++)
        counted += counted_bytes(layout, trial, r, &all);
    return (sn_rates){
        .peak_to_count = trial->array_bytes / counted,
        .build_per_element = trial->build_bytes / all.elements,
        .seconds_per_element = (trial->seconds - trial->cycle_seconds) / most_elements(layout),
        .seconds_per_cycle_visit = trial->cycle_seconds / elements_of_cycle(layout, trial)};
}

/* Of the rank that waits longest, for all nodes of a level once. */
static double exchange_seconds(const sn_layout *layout, int level, size_t real,
                               const sn_machine *machine)
{
    double most = 0;
    for (int r = 0; r < layout->size; r++) {
        const sn_part *p = &layout->rank[level][r];
        double bytes = (double)larger(p->ghost_nodes, p->sent_nodes) * SN_NODE_REALS * (double)real;
        most = fmax(most, (double)p->neighbours * machine->latency + bytes / machine->bandwidth);
    }
    return most;
}

/* A linear iteration: one cycle, one product in double precision, some sums. What a Newton
 * iteration exchanges by itself counts as one more of them. */
static double network_seconds(const sn_layout *layout, const sn_trial *trial,
                              const sn_machine *machine)
{
    size_t real = trial->single ? sizeof(float) : sizeof(double);
    double visits = 1, each = exchange_seconds(layout, 0, sizeof(double), machine);
    for (int l = 0; l < layout->n_systems; l++) {
        if (is_repeated(layout, trial, l))
            visits *= SN_AMLI_DEGREE;
        each += visits * (2 * trial->multigrid.degree + CYCLE_EXCHANGES) *
                exchange_seconds(layout, l, real, machine);
    }
    double rounds = layout->size > 1 ? ceil(log2(layout->size)) : 0;
    each += REDUCTIONS * 2 * rounds * machine->latency;
    return (trial->linear + trial->newton) * each;
}

/* Shared blocks count once a node. */
static void place_on_nodes(const sn_trial *trial, const sn_machine *machine, int size,
                           sn_forecast *f)
{
    double shared = fmin(trial->shared_bytes, f->memory_max);
    double fit = floor((machine->node_memory - shared) / fmax(f->memory_max - shared, 1));
    if (!(fit >= 1))
        return;
    f->ranks_on_node = fit < machine->ranks_per_node ? (int)fit : machine->ranks_per_node;
    f->nodes = (size + f->ranks_on_node - 1) / f->ranks_on_node;
}

sn_forecast sn_forecast_of(const sn_layout *layout, const sn_trial *trial, const sn_rates *rates,
                           const sn_machine *machine)
{
    sn_forecast f = {0};
    totals all = totals_of_shot(layout, trial);
    for (int r = 0; r < layout->size; r++) {
        const sn_part *p = &layout->rank[0][r];
        double bytes = rank_bytes(layout, trial, rates, r, &all);
        f.memory_max = fmax(f.memory_max, bytes);
        f.memory_average += bytes / layout->size;
        double received = (double)p->ghost_nodes * SN_NODE_REALS * sizeof(double);
        f.exchange_bytes += received;
        f.exchange_bytes_max = fmax(f.exchange_bytes_max, received);
    }
    f.work_seconds = rates->seconds_per_element * most_elements(layout) +
                     rates->seconds_per_cycle_visit * elements_of_cycle(layout, trial);
    f.network_seconds = network_seconds(layout, trial, machine);
    place_on_nodes(trial, machine, layout->size, &f);
    return f;
}
