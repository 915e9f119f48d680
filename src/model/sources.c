#include "model/sources.h"

#include "base/array.h"
#include "base/threads.h"

static double frame_at(const sn_frames *frames, double time)
{
    return frames->first + time * frames->fps;
}

sn_pin_source sn_pin_source_create(const sn_pins *pins, const sn_frames *frames)
{
    return (sn_pin_source){
        .pins = pins, .frames = frames, .target = SN_NEW(double[3], pins->n_pinned)};
}

void sn_pin_source_free(sn_pin_source *source)
{
    sn_free(source->target);
    *source = (sn_pin_source){0};
}

static sn_status move_pins(void *context, double time, double *x)
{
    const sn_pin_source *s = context;
    sn_pins_targets(s->pins, frame_at(s->frames, time), s->target);
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)s->pins->n_pinned))
    for (sn_local i = 0; i < s->pins->n_pinned; i++)
        for (int d = 0; d < SN_NODE_REALS; d++)
            x[SN_NODE_REALS * s->pins->node[i] + d] = s->target[i][d];
    return SN_OK;
}

sn_source sn_pin_source_of(sn_pin_source *source)
{
    return (sn_source){.context = source, .begin = move_pins};
}

sn_status sn_bone_source_move(const sn_bone_source *s, double time)
{
    return sn_bones_retarget(s->bones, frame_at(s->frames, time), s->ties);
}

/* Where they have been already; what fails here fails again when the next step begins. */
static void reset_bones(void *context, double time)
{
    sn_status status = sn_bone_source_move(context, time);
    (void)status;
}

static sn_status move_bones(void *context, double time, double *x)
{
    (void)x; /* ties pull, they do not hold */
    return sn_bone_source_move(context, time);
}

sn_source sn_bone_source_of(sn_bone_source *source)
{
    return (sn_source){.context = source, .begin = move_bones, .reset = reset_bones};
}
