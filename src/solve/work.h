/* Fields of the finest level whose values nobody keeps: forces, linear solves and line searches use
 * them in turn, so that a step has them once and not each its own. Who is called says which of them
 * it writes. */
#ifndef SN_SOLVE_WORK_H
#define SN_SOLVE_WORK_H

#include "field/field.h"

enum { SN_WORK_FIELDS = 4 };

typedef struct {
    double *field[SN_WORK_FIELDS];
} sn_work;

sn_work sn_work_create(const sn_octree *tree);
void sn_work_free(sn_work *work);

#endif
