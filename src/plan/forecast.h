/* What a shot needs on a number of ranks that is not there.
 *
 * Elements, ghosts and neighbours are counted, exactly, for every rank on every level. Memory is
 * what the structures hold with these counts, times what a trial on this machine had at its peak in
 * parts of that, plus what the process had beyond its arrays. Seconds are the trial's rates times
 * the elements of the rank that has most, level by level, plus a network that takes `latency` for
 * each message and `bandwidth` for what goes through. */
#ifndef SN_PLAN_FORECAST_H
#define SN_PLAN_FORECAST_H

#include "model/model.h"
#include "plan/parts.h"
#include "plan/trial.h"
#include "plan/whole.h"

/* A hierarchy cut for `size` ranks. */
typedef struct {
    int size, n_levels;
    int n_systems;                /* levels with systems: all, or unknowns can turn below */
    int repeats_from;             /* the finest level whose cycle is repeated; 0: none */
    sn_part *rank[SN_MAX_LEVELS]; /* size of each */
} sn_layout;

/* The same numbers over the ranks of one level. */
typedef struct {
    int ranks; /* with octants */
    int64_t elements, elements_most;
    int64_t ghost_elements, ghost_elements_most, ghost_nodes, ghost_nodes_most;
    int64_t neighbours_most;
    double imbalance;
} sn_layout_level;

/* Not collective. */
sn_layout sn_layout_cut(const sn_whole_level *level, int n_levels, int size, sn_law_kind law,
                        bool single, int threads);
void sn_layout_free(sn_layout *layout);
sn_layout_level sn_layout_level_of(const sn_layout *layout, int level);

typedef struct {
    double latency;     /* seconds a message */
    double bandwidth;   /* bytes a second, of each rank */
    double node_memory; /* bytes */
    int ranks_per_node; /* at most */
} sn_machine;

typedef struct {
    double memory_max, memory_average; /* bytes a rank, shared blocks and libraries included */
    double exchange_bytes;             /* that the ranks together get in one operator application */
    double exchange_bytes_max;         /* that one of them gets */
    double work_seconds, network_seconds; /* a frame */
    int nodes; /* the fewest that hold all ranks; 0: one rank is too much for a node */
    int ranks_on_node;
} sn_forecast;

/* What a trial and its own layout say about others. */
typedef struct {
    double peak_to_count;           /* the arrays' peak in frames, in parts of what was counted */
    double build_per_element;       /* bytes at the peak before */
    double seconds_per_element;     /* a frame, without cycles */
    double seconds_per_cycle_visit; /* a frame's cycles, for each element of a level visited */
} sn_rates;

sn_rates sn_rates_of(const sn_trial *trial, const sn_layout *layout);
sn_forecast sn_forecast_of(const sn_layout *layout, const sn_trial *trial, const sn_rates *rates,
                           const sn_machine *machine);

#endif
