/* Parts of the model's bodies that share a cell without being joined: how many, and where. */
#ifndef SN_MODEL_CLOSENESS_H
#define SN_MODEL_CLOSENESS_H

#include "model/model.h"
#include "octree/close_parts.h"

/* Collective. */
sn_close_parts sn_model_close_parts(const sn_model *model);

/* Collective. One warning if cells weld any (sn_body.welded), with place and a cell that would
 * separate them. */
void sn_model_warn_of_close_parts(const sn_model *model);

#endif
