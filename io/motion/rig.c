#include "io/motion/rig.h"

#include "io/motion/bind.h"
#include "io/motion/read.h"

#include <string.h>
#include <strings.h>

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length > end_length && strcasecmp(text + length - end_length, end) == 0;
}

bool sn_is_gltf_file(const char *path)
{
    return ends_with(path, ".gltf") || ends_with(path, ".glb");
}

bool sn_is_bvh_file(const char *path)
{
    return ends_with(path, ".bvh");
}

void sn_rig_free(sn_rig *rig)
{
    sn_skeleton_free(&rig->skeleton);
    sn_free(rig->is_bone);
    sn_free(rig->first_vertex);
    sn_vector_free(&rig->flesh);
    *rig = (sn_rig){0};
}

static sn_status read_bvh(const char *path, sn_bvh_positions positions, sn_rig *rig)
{
    SN_TRY(sn_motion_read_bvh(path, positions, &rig->skeleton));
    size_t n = rig->skeleton.joints.count;
    rig->is_bone = SN_NEW_ZERO(bool, n);
    for (size_t j = 0; j < n; j++)
        rig->is_bone[j] = !rig->skeleton.joints.data[j].is_end;
    return SN_OK;
}

/* ---- All ---- */

static void sort_flesh(sn_rig *rig)
{
    size_t n = rig->skeleton.joints.count, n_flesh = rig->flesh.count;
    sn_rig_vertex *sorted = SN_NEW(sn_rig_vertex, n_flesh);
    rig->first_vertex = SN_NEW_ZERO(size_t, n + 2);
    size_t *place = rig->first_vertex + 1; /* while they are put there: where the next one goes */
    for (size_t v = 0; v < n_flesh; v++)
        place[rig->flesh.data[v].joint + 1]++;
    for (size_t j = 0; j < n; j++)
        place[j + 1] += place[j];
    for (size_t v = 0; v < n_flesh; v++)
        sorted[place[rig->flesh.data[v].joint]++] = rig->flesh.data[v];
    if (n_flesh > 0)
        memcpy(rig->flesh.data, sorted, n_flesh * sizeof *sorted);
    sn_free(sorted);
}

static sn_status check_number(const char *path, const sn_rig *rig)
{
    size_t n = 0;
    for (size_t j = 0; j < rig->skeleton.joints.count; j++)
        n += rig->is_bone[j];
    return n <= SN_RIG_MOST_JOINTS ? SN_OK
                                   : SN_FAIL(SN_BAD_INPUT, "%s: has %zu joints, more than %d", path,
                                             n, SN_RIG_MOST_JOINTS);
}

static sn_status check_lengths(const char *path, const sn_rig *rig)
{
    const sn_skeleton *s = &rig->skeleton;
    sn_affine first = sn_skeleton_rest(s, 0), rest;
    for (size_t j = 0; j < s->joints.count; j++) {
        rest = sn_skeleton_rest(s, (int)j);
        if (!sn_affine_is_finite(&rest))
            return SN_FAIL(SN_BAD_INPUT, "%s: the joint \"%.80s\" is not at a finite place", path,
                           s->joints.data[j].name);
        for (int d = 0; d < 3; d++)
            if (rest.row[d][3] != first.row[d][3])
                return SN_OK;
    }
    return rig->flesh.count > 0
               ? SN_OK
               : SN_FAIL(SN_BAD_INPUT, "%s: all joints are at one place: no bone has a length",
                         path);
}

sn_status sn_rig_read(const char *path, const char *skin, const char *animation,
                      sn_bvh_positions positions, sn_rig *rig)
{
    *rig = (sn_rig){0};
    sn_status status;
    if (sn_is_gltf_file(path))
        status = sn_rig_read_gltf(path, skin, animation, rig);
    else if (sn_is_bvh_file(path))
        status = read_bvh(path, positions, rig);
    else
        status = sn_rig_read_assimp(path, skin, animation, rig);
    if (status == SN_OK)
        status = check_number(path, rig);
    if (status == SN_OK)
        status = check_lengths(path, rig);
    if (status == SN_OK)
        sort_flesh(rig);
    if (status != SN_OK)
        sn_rig_free(rig);
    return status;
}
