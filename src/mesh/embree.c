#include "mesh/embree.h"

#include "base/array.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

static RTCDevice the_device; /* NULL: not started */
static _Atomic size_t held;

/* Embree's own threads call it too. Negative numbers wrap around. */
static bool count_bytes(void *unused, ssize_t bytes, bool done)
{
    atomic_fetch_add(&held, (size_t)bytes);
    return sn_memory_monitor(unused, bytes, done);
}

sn_status sn_embree_start(RTCDevice *device)
{
    char configuration[64];
    snprintf(configuration, sizeof configuration, "threads=%d,set_affinity=0",
             omp_get_max_threads());
    if (!the_device) {
        the_device = rtcNewDevice(configuration);
        if (!the_device)
            return SN_FAIL(SN_MACHINE, "Embree cannot be started (error %d)",
                           (int)rtcGetDeviceError(NULL));
        rtcSetDeviceMemoryMonitorFunction(the_device, count_bytes, NULL);
    }
    *device = the_device;
    return SN_OK;
}

void sn_embree_stop(void)
{
    if (the_device)
        rtcReleaseDevice(the_device);
    the_device = NULL;
}

sn_status sn_embree_status(const char *what)
{
    enum RTCError error = rtcGetDeviceError(the_device);
    return error == RTC_ERROR_NONE
               ? SN_OK
               : SN_FAIL(SN_MACHINE, "Embree cannot %s (error %d)", what, (int)error);
}

size_t sn_embree_bytes(void)
{
    return atomic_load(&held);
}

float sn_embree_not_above(double a)
{
    float f = (float)a;
    return (double)f > a ? nextafterf(f, -INFINITY) : f;
}

float sn_embree_not_below(double a)
{
    return -sn_embree_not_above(-a);
}

struct RTCBounds sn_embree_bounds(const sn_box *box)
{
    return (struct RTCBounds){.lower_x = sn_embree_not_above(box->min[0]),
                              .lower_y = sn_embree_not_above(box->min[1]),
                              .lower_z = sn_embree_not_above(box->min[2]),
                              .upper_x = sn_embree_not_below(box->max[0]),
                              .upper_y = sn_embree_not_below(box->max[1]),
                              .upper_z = sn_embree_not_below(box->max[2])};
}

RTCGeometry sn_embree_boxed_things(RTCDevice device, void *data, size_t n, RTCBoundsFunction bounds,
                                   RTCIntersectFunctionN intersect)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, (unsigned)n);
    rtcSetGeometryUserData(geometry, data);
    rtcSetGeometryBoundsFunction(geometry, bounds, NULL);
    if (intersect)
        rtcSetGeometryIntersectFunction(geometry, intersect);
    return geometry;
}
