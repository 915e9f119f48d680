#include "io/scene/schema.h"

/* What does not change a frame. */
static const char *const FREE_TO_CHANGE[] = {"name", "frames.last", "partition", "output", NULL};

sn_status sn_scene_check_continues(const sn_scene *before, const sn_scene *now)
{
    sn_difference d;
    if (!sn_section_differs(&sn_scene_section, before, now, FREE_TO_CHANGE, &d))
        return SN_OK;
    return sn_origin_fail(&now->origin, d.path, "is %s now and was %s: that would be another shot",
                          d.now, d.before);
}
