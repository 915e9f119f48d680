#include "io/mesh/load.h"

#include "io/mesh/placement.h"
#include "io/mesh/read.h"
#include "mesh/tidy.h"
#include "shapes/shape.h"

#include <limits.h>

static sn_status read_and_check(const char *path, const sn_placement *place, sn_mesh *mesh,
                                sn_mesh_report *report)
{
    if (sn_builtin_asked_for(path))
        SN_TRY(sn_builtin_make(path, mesh));
    else
        SN_TRY(sn_mesh_read(path, mesh));
    if (place)
        sn_placement_apply(place, mesh->vertex, mesh->n_vertices);
    *report = sn_mesh_tidy(mesh);
    SN_TRY(sn_mesh_require_solid(path, mesh, report)); /* a refusal is one message */
    sn_mesh_report_log(path, report);
    return SN_OK;
}

static sn_mesh_asset *take_asset(sn_mesh *mesh)
{
    sn_mesh_asset *asset = mesh->asset;
    mesh->asset = NULL;
    return asset;
}

/* `asset` may be NULL. */
static sn_status load(MPI_Comm comm, const char *path, const sn_placement *place,
                      sn_shared_mesh *out, sn_mesh_report *report, sn_mesh_asset **asset)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_mesh mesh = {0};
    sn_status status = SN_OK;
    if (rank == 0)
        status = read_and_check(path, place, &mesh, report);
    status = sn_agree(comm, status);
    if (status != SN_OK) {
        sn_mesh_free(&mesh);
        return status;
    }
    if (asset && rank == 0)
        *asset = take_asset(&mesh);
    MPI_Bcast(report, sizeof *report, MPI_BYTE, 0, comm);
    return sn_shared_mesh_create(comm, &mesh, out);
}

sn_status sn_mesh_load(MPI_Comm comm, const char *path, const sn_placement *place,
                       sn_shared_mesh *out, sn_mesh_report *report)
{
    return load(comm, path, place, out, report, NULL);
}

sn_status sn_mesh_load_asset(MPI_Comm comm, const sn_origin *origin, const char *key_path,
                             const char *name, const sn_placement *place, sn_shared_mesh *mesh,
                             sn_mesh_report *report, sn_mesh_asset **asset)
{
    char path[PATH_MAX];
    if (asset)
        *asset = NULL;
    SN_TRY(sn_origin_path(origin, name, path, sizeof path));
    sn_status status = load(comm, path, place, mesh, report, asset);
    return status == SN_OK ? SN_OK : sn_origin_blame(origin, key_path, status);
}

sn_status sn_mesh_load_named(MPI_Comm comm, const sn_origin *origin, const char *key_path,
                             const char *name, const sn_placement *place, sn_shared_mesh *mesh,
                             sn_mesh_report *report)
{
    return sn_mesh_load_asset(comm, origin, key_path, name, place, mesh, report, NULL);
}
