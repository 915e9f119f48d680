/* A plan: what a shot needs on each of some numbers of ranks.
 *
 * Builds the octrees of the scene here, cuts them as runs on these numbers of ranks would, tries a
 * few frames, and foretells the rest. */
#ifndef SN_PLAN_PLAN_H
#define SN_PLAN_PLAN_H

#include "plan/forecast.h"

typedef struct {
    int64_t elements, nodes; /* of the finest level */
    sn_machine machine;
    int n; /* numbers of ranks */
    /* On rank 0 only; n of each: */
    sn_layout *layout;
    sn_forecast *forecast;
    sn_trial trial;
    sn_rates rates;
} sn_plan;

/* Collective. The scene must be partitioned along the curve, and is as before afterwards. After a
 * failure there is nothing to free. */
SN_CHECKED sn_status sn_plan_make(MPI_Comm comm, sn_scene *scene, const int *ranks, int n,
                                  const sn_machine *machine, const sn_trial_settings *settings,
                                  sn_plan *plan);
void sn_plan_free(sn_plan *plan);

/* A frame's work and what it waits for messages. */
double sn_forecast_seconds(const sn_forecast *forecast);

/* The row that needs the fewest nodes, and of these the fastest; -1 if no rank fits a node. */
int sn_plan_fewest_nodes(const sn_plan *plan);

#endif
