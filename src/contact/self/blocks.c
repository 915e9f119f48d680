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

sn_self_blocks sn_self_blocks_share(MPI_Comm comm, const void *boxes, size_t stride, size_t n)
{
    int size, mine = (int)(n < SN_SELF_MOST_BLOCKS ? n : SN_SELF_MOST_BLOCKS);
    MPI_Comm_size(comm, &size);
    sn_box own[SN_SELF_MOST_BLOCKS];
    for (int b = 0; b < mine; b++) {
        own[b] = nothing;
        size_t from = n * (size_t)b / (size_t)mine, to = n * (size_t)(b + 1) / (size_t)mine;
        for (size_t i = from; i < to; i++)
            include(&own[b], (const sn_box *)((const char *)boxes + i * stride));
    }
    sn_self_blocks blocks = {.first = SN_NEW(int, size + 1), .whole = SN_NEW(sn_box, size)};
    int *count = SN_NEW(int, size);
    MPI_Allgather(&mine, 1, MPI_INT, count, 1, MPI_INT, comm);
    blocks.first[0] = 0;
    for (int r = 0; r < size; r++)
        blocks.first[r + 1] = blocks.first[r] + count[r];
    blocks.box = SN_NEW(sn_box, blocks.first[size]);
    MPI_Datatype type;
    MPI_Type_contiguous(6, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Allgatherv(own, mine, type, blocks.box, count, blocks.first, type, comm);
    MPI_Type_free(&type);
    sn_free(count);
    for (int r = 0; r < size; r++) {
        blocks.whole[r] = nothing;
        for (int b = blocks.first[r]; b < blocks.first[r + 1]; b++)
            include(&blocks.whole[r], &blocks.box[b]);
    }
    return blocks;
}

void sn_self_blocks_free(sn_self_blocks *blocks)
{
    sn_free(blocks->first);
    sn_free(blocks->box);
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
    for (int b = blocks->first[rank]; b < blocks->first[rank + 1]; b++)
        if (sn_self_boxes_meet(box, &blocks->box[b]))
            return true;
    return false;
}

bool sn_self_blocks_meet(const sn_self_blocks *blocks, int a, int b)
{
    for (int i = blocks->first[a]; i < blocks->first[a + 1]; i++)
        if (sn_self_box_meets_rank(blocks, &blocks->box[i], b))
            return true;
    return false;
}

static bool line_meets(const sn_box *box, const double at[3], const double direction[3])
{
    double enter = -INFINITY, leave = INFINITY;
    for (int d = 0; d < 3; d++) {
        double low = box->min[d] - at[d], high = box->max[d] - at[d];
        if (direction[d] == 0) {
            if (low > 0 || high < 0)
                return false;
            continue;
        }
        double a = low / direction[d], b = high / direction[d];
        enter = fmax(enter, fmin(a, b));
        leave = fmin(leave, fmax(a, b));
    }
    return enter <= leave;
}

bool sn_self_line_meets_rank(const sn_self_blocks *blocks, const double at[3],
                             const double direction[3], int rank)
{
    if (blocks->first[rank] == blocks->first[rank + 1] ||
        !line_meets(&blocks->whole[rank], at, direction))
        return false;
    for (int b = blocks->first[rank]; b < blocks->first[rank + 1]; b++)
        if (line_meets(&blocks->box[b], at, direction))
            return true;
    return false;
}

/* ---- Embree ---- */

static float below(double x)
{
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

void sn_self_embree_bounds(const sn_box *box, struct RTCBounds *bounds)
{
    bounds->lower_x = below(box->min[0]);
    bounds->lower_y = below(box->min[1]);
    bounds->lower_z = below(box->min[2]);
    bounds->upper_x = -below(-box->max[0]);
    bounds->upper_y = -below(-box->max[1]);
    bounds->upper_z = -below(-box->max[2]);
}

RTCScene sn_self_scene(RTCDevice device, void *data, size_t n, RTCBoundsFunction bounds,
                       RTCIntersectFunctionN intersect)
{
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC | RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, (unsigned)n);
    rtcSetGeometryUserData(geometry, data);
    rtcSetGeometryBoundsFunction(geometry, bounds, NULL);
    if (intersect)
        rtcSetGeometryIntersectFunction(geometry, intersect);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    return scene;
}

sn_status sn_self_embree_status(RTCDevice device)
{
    enum RTCError error = rtcGetDeviceError(device);
    return error == RTC_ERROR_NONE
               ? SN_OK
               : SN_FAIL(SN_MACHINE, "Embree cannot search for self-collisions (error %d)",
                         (int)error);
}
