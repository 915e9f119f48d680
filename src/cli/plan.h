/* What `sinew plan` says. */
#ifndef SN_CLI_PLAN_H
#define SN_CLI_PLAN_H

#include "plan/plan.h"

/* To standard output: tables for people, or one JSON object. */
void sn_plan_print(const sn_scene *scene, const sn_plan *plan, bool json);

#endif
