#include "shot/state.h"

#include "base/array.h"
#include "octree/positions.h"
#include "shot/resample.h"

sn_shot_state sn_shot_state_at_rest(const sn_octree *tree, const sn_frames *frames)
{
    double *rest = sn_field_new_f64(tree);
    sn_octree_node_positions(tree, (double(*)[3])rest);
    sn_shot_state state = {.nodes = sn_state_create(tree, rest),
                           .progress = {.frame = sn_frames_start(frames) - 1, .whole = true}};
    state.nodes.time = -frames->preroll / frames->fps; /* 0 is the first frame */
    sn_free(rest);
    return state;
}

void sn_shot_state_free(sn_shot_state *state)
{
    sn_state_free(&state->nodes);
    sn_contact_memory_free(&state->contacts);
    *state = (sn_shot_state){0};
}

sn_status sn_shot_state_move(sn_shot_state *from, sn_model *from_model, const sn_model *model,
                             sn_shot_state *state)
{
    *state = (sn_shot_state){0};
    SN_TRY(sn_resample(&from->nodes, from_model, model, &state->nodes));
    state->contacts = from->contacts;
    state->progress = from->progress;
    from->contacts = (sn_contact_memory){0};
    return SN_OK;
}
