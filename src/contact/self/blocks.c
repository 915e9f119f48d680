#include "contact/self/blocks.h"

#include "base/array.h"

#include <math.h>

static const sn_box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void include(sn_box *box, const sn_box *other)
{
    for (int d = 0; d < 3; d++) {
        box->min[d] = fmin(box->min[d], other->min[d]);
        box->max[d] = fmax(box->max[d], other->max[d]);
    }
}

/* Around the things of one block. */
static sn_box box_of_block(const char *boxes, size_t stride, size_t from, size_t to)
{
    sn_box box = nothing;
    for (size_t i = from; i < to; i++)
        include(&box, (const sn_box *)(boxes + i * stride));
    return box;
}

sn_self_blocks sn_self_blocks_share(MPI_Comm comm, const void *boxes, size_t stride, size_t n)
{
    size_t mine = n < SN_SELF_MOST_BLOCKS ? n : SN_SELF_MOST_BLOCKS;
    sn_box own[SN_SELF_MOST_BLOCKS];
    for (size_t b = 0; b < mine; b++)
        own[b] = box_of_block(boxes, stride, n * b / mine, n * (b + 1) / mine);
    sn_self_blocks blocks = {.shared = sn_records_gather(comm, sizeof *own, own, mine)};
    blocks.first = blocks.shared.first;
    blocks.box = blocks.shared.data;
    blocks.whole = SN_NEW(sn_box, blocks.shared.sources);
    for (int r = 0; r < blocks.shared.sources; r++) {
        blocks.whole[r] = nothing;
        for (size_t b = blocks.first[r]; b < blocks.first[r + 1]; b++)
            include(&blocks.whole[r], &blocks.box[b]);
    }
    return blocks;
}

void sn_self_blocks_free(sn_self_blocks *blocks)
{
    sn_inbox_free(&blocks->shared);
    sn_free(blocks->whole);
    *blocks = (sn_self_blocks){0};
}

bool sn_self_boxes_meet(const sn_box *a, const sn_box *b)
{
    for (int d = 0; d < 3; d++)
        if (a->min[d] > b->max[d] || b->min[d] > a->max[d])
            return false;
    return true;
}

bool sn_self_box_meets_rank(const sn_self_blocks *blocks, const sn_box *box, int rank)
{
    if (!sn_self_boxes_meet(box, &blocks->whole[rank]))
        return false;
    for (size_t b = blocks->first[rank]; b < blocks->first[rank + 1]; b++)
        if (sn_self_boxes_meet(box, &blocks->box[b]))
            return true;
    return false;
}

bool sn_self_blocks_meet(const sn_self_blocks *blocks, int a, int b)
{
    for (size_t i = blocks->first[a]; i < blocks->first[a + 1]; i++)
        if (sn_self_box_meets_rank(blocks, &blocks->box[i], b))
            return true;
    return false;
}

/* ---- Embree ---- */

RTCScene sn_self_scene(RTCDevice device, void *data, size_t n, RTCBoundsFunction bounds)
{
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC | RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = sn_embree_boxed_things(device, data, n, bounds, NULL);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    return scene;
}

sn_status sn_self_embree_status(void)
{
    return sn_embree_status("search for self-collisions");
}
