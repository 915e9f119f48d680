/* What `sinew plan` says. */
#ifndef SN_CLI_PLAN_H
#define SN_CLI_PLAN_H

#include "plan/forecast.h"

/* A shot, and what it needs on each number of ranks. */
typedef struct {
    const sn_scene *scene;
    int64_t elements, nodes; /* of the finest level */
    int n;
    const sn_layout *layout;     /* n */
    const sn_forecast *forecast; /* n */
    sn_trial trial;
    sn_rates rates;
    sn_machine machine;
} sn_plan;

/* To standard output: tables for people, or one JSON object. */
void sn_plan_print(const sn_plan *plan, bool json);

#endif
