/* What the report of check.h means to the user: warnings, or a refusal. */
#include "base/log.h"
#include "mesh/check.h"

#include <inttypes.h>
#include <math.h>

/* A mesh is flat when its volume is this small against that of a cube of the same area:
 * a sheet a million times wider than thick still passes, rounding errors do not. */
static const double FLAT_VOLUME = 1e-9;

static void warn_of_faces(const char *name, const sn_mesh_finding *faces, const char *kind)
{
    if (faces->count > 0)
        sn_warn("%s: %" PRId64 " %s face%s, first is face %" PRId32, name, faces->count, kind,
                faces->count == 1 ? "" : "s", faces->first_face);
}

static void warn_of_edges(const char *name, const sn_mesh_finding *edges, const char *kind)
{
    if (edges->count > 0)
        sn_warn("%s: %" PRId64 " edge%s %s, first at face %" PRId32, name, edges->count,
                edges->count == 1 ? "" : "s", kind, edges->first_face);
}

void sn_mesh_report_log(const char *name, const sn_mesh_report *report)
{
    warn_of_faces(name, &report->degenerate, "degenerate");
    warn_of_faces(name, &report->duplicate, "duplicate");
    warn_of_edges(name, &report->boundary, "with one face only (the surface is open)");
    warn_of_edges(name, &report->nonmanifold, "with more than two faces");
    warn_of_edges(name, &report->misoriented, "between faces of opposite orientation");
    if (report->unused_vertices > 0)
        sn_warn("%s: %" PRId64 " %s", name, report->unused_vertices,
                report->unused_vertices == 1 ? "vertex is in no face" : "vertices are in no face");
    if (report->volume < 0)
        sn_warn("%s: inside out: its faces enclose a volume of %g", name, report->volume);
}

sn_status sn_mesh_require_solid(const char *name, const sn_mesh *mesh, const sn_mesh_report *report)
{
    if (mesh->n_triangles == 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: empty mesh: it has no triangles", name);
    for (int d = 0; d < 3; d++)
        if (!(report->bounds.max[d] > report->bounds.min[d]))
            return SN_FAIL(SN_BAD_INPUT, "%s: mesh of zero volume: all its faces have %c = %g",
                           name, "xyz"[d], report -> bounds.min[d]);
    if (!isfinite(report->area) || !isfinite(report->volume))
        return SN_FAIL(SN_BAD_INPUT, "%s: its coordinates are too large to compute with", name);
    if (!(fabs(report->volume) > FLAT_VOLUME * pow(report->area, 1.5)))
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: mesh of zero volume: its faces enclose %g with an area of %g", name,
                       report->volume, report->area);
    return SN_OK;
}
