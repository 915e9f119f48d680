#include "base/array.h"
#include "io/frames/meshes.h"

enum { PATH_BYTES = 4096 };

/* ---- How much there is, on all ranks ---- */

typedef struct {
    int n_bodies;
    int64_t *first_point, *first_vertex, *first_polygon, *first_corner, *first_uv; /* bodies + 1 */
} mesh_rows;

enum { COUNTS = 5 };

static void count_body(const sn_surface_body *body, int64_t count[COUNTS])
{
    const sn_mesh_asset *a = body->asset;
    const int64_t counted[COUNTS] = {body->mesh->n_vertices,
                                     a ? a->n_vertices : body->mesh->n_vertices,
                                     a ? a->n_polygons : 0, a ? a->n_corners : 0, a ? a->n_uvs : 0};
    for (int i = 0; i < COUNTS; i++)
        count[i] = counted[i];
}

/* Collective: rank 0 counts. */
static mesh_rows count_rows(const sn_surface_source *source)
{
    int n = source->n_bodies, rank;
    MPI_Comm_rank(source->comm, &rank);
    int64_t(*count)[COUNTS] = SN_NEW_ZERO(int64_t[COUNTS], n);
    for (int b = 0; b < n && rank == 0; b++)
        count_body(&source->body[b], count[b]);
    MPI_Bcast(count, n * COUNTS, MPI_INT64_T, 0, source->comm);
    mesh_rows rows = {.n_bodies = n};
    int64_t **const first[COUNTS] = {&rows.first_point, &rows.first_vertex, &rows.first_polygon,
                                     &rows.first_corner, &rows.first_uv};
    for (int i = 0; i < COUNTS; i++) {
        int64_t *at = *first[i] = SN_NEW_ZERO(int64_t, n + 1);
        for (int b = 0; b < n; b++)
            at[b + 1] = at[b] + count[b][i];
    }
    sn_free(count);
    return rows;
}

static void free_rows(mesh_rows *rows)
{
    sn_free(rows->first_point);
    sn_free(rows->first_vertex);
    sn_free(rows->first_polygon);
    sn_free(rows->first_corner);
    sn_free(rows->first_uv);
}

/* ---- Names: every rank has them ---- */

void sn_meshes_write_names(sn_h5_file *file, const sn_surface_source *source)
{
    const char **name = SN_NEW(const char *, source->n_bodies);
    for (int b = 0; b < source->n_bodies; b++)
        name[b] = source->body[b].name;
    sn_h5_texts(file, "/sinew/name", name, source->n_bodies);
    sn_free(name);
}

/* ---- Arrays: rank 0 has all of them ---- */

static bool is_first(const sn_h5_file *file)
{
    int rank;
    MPI_Comm_rank(file->comm, &rank);
    return rank == 0;
}

static sn_slab all_on_first(const sn_h5_file *file, int64_t rows)
{
    return is_first(file) ? (sn_slab){0, rows} : (sn_slab){rows, 0};
}

static void write_integers(sn_h5_file *file, const char *name, int64_t rows, int64_t *values)
{
    sn_h5_array(file, name, H5T_NATIVE_INT64, rows, 0, all_on_first(file, rows), values);
    sn_free(values);
}

static void write_vertices(sn_h5_file *file, const sn_surface_source *source, const mesh_rows *rows)
{
    int64_t n = rows->first_vertex[rows->n_bodies];
    int64_t *point = SN_NEW(int64_t, is_first(file) ? n : 0);
    for (int b = 0; b < rows->n_bodies && is_first(file); b++) {
        const int32_t *of_body = source->body[b].asset ? source->body[b].asset->point : NULL;
        for (int64_t v = 0, end = rows->first_vertex[b + 1] - rows->first_vertex[b]; v < end; v++)
            point[rows->first_vertex[b] + v] = rows->first_point[b] + (of_body ? of_body[v] : v);
    }
    sn_h5_table(file, "/sinew/first_vertex", H5T_NATIVE_INT64, rows->n_bodies + 1,
                rows->first_vertex);
    write_integers(file, "/sinew/vertex_point", n, point);
}

static void write_polygons(sn_h5_file *file, const sn_surface_source *source, const mesh_rows *rows)
{
    int64_t n = rows->first_polygon[rows->n_bodies];
    int64_t *first_corner = SN_NEW(int64_t, is_first(file) ? n + 1 : 0);
    for (int b = 0; b < rows->n_bodies && is_first(file); b++)
        for (int64_t p = 0; p <= source->body[b].asset->n_polygons; p++)
            first_corner[rows->first_polygon[b] + p] =
                rows->first_corner[b] + source->body[b].asset->first_corner[p];
    sn_h5_table(file, "/sinew/first_polygon", H5T_NATIVE_INT64, rows->n_bodies + 1,
                rows->first_polygon);
    write_integers(file, "/sinew/first_corner", n + 1, first_corner);
}

static void write_corners(sn_h5_file *file, const sn_surface_source *source, const mesh_rows *rows)
{
    int64_t n = rows->first_corner[rows->n_bodies];
    int64_t *corner = SN_NEW(int64_t, is_first(file) ? n : 0);
    for (int b = 0; b < rows->n_bodies && is_first(file); b++)
        for (int64_t c = 0; c < source->body[b].asset->n_corners; c++)
            corner[rows->first_corner[b] + c] =
                rows->first_vertex[b] + source->body[b].asset->corner[c];
    write_integers(file, "/sinew/corner", n, corner);
}

static void write_uv_corners(sn_h5_file *file, const sn_surface_source *source,
                             const mesh_rows *rows)
{
    int64_t n = rows->first_corner[rows->n_bodies];
    int64_t *corner = SN_NEW(int64_t, is_first(file) ? n : 0);
    for (int b = 0; b < rows->n_bodies && is_first(file); b++) {
        const sn_mesh_asset *a = source->body[b].asset;
        for (int64_t c = 0; c < a->n_corners; c++) {
            int32_t uv = a->n_uvs > 0 ? a->uv_corner[c] : -1;
            corner[rows->first_corner[b] + c] = uv < 0 ? -1 : rows->first_uv[b] + uv;
        }
    }
    write_integers(file, "/sinew/uv_corner", n, corner);
}

static void write_uvs(sn_h5_file *file, const sn_surface_source *source, const mesh_rows *rows)
{
    int64_t n = rows->first_uv[rows->n_bodies];
    if (n == 0)
        return;
    double(*uv)[2] = SN_NEW(double[2], is_first(file) ? n : 0);
    for (int b = 0; b < rows->n_bodies && is_first(file); b++)
        for (int64_t i = 0; i < source->body[b].asset->n_uvs; i++)
            for (int d = 0; d < 2; d++)
                uv[rows->first_uv[b] + i][d] = source->body[b].asset->uv[i][d];
    sn_h5_array(file, "/sinew/uv", H5T_NATIVE_DOUBLE, n, 2, all_on_first(file, n), uv);
    sn_free(uv);
    write_uv_corners(file, source, rows);
}

static int64_t raw_bytes(const mesh_rows *rows)
{
    int n = rows->n_bodies;
    return (int64_t)sizeof(int64_t) * (rows->first_vertex[n] + rows->first_polygon[n] + 1 +
                                       2 * rows->first_corner[n] + 2 * rows->first_uv[n]);
}

static sn_status write_file(const sn_surface_source *source, const mesh_rows *rows)
{
    char path[PATH_BYTES];
    sn_h5_file file;
    snprintf(path, sizeof path, "%s/" SN_MESHES_FILE, source->run_dir);
    SN_TRY(sn_h5_create(source->comm, path, raw_bytes(rows), &file));
    sn_h5_group(&file, "/sinew");
    sn_h5_attribute_text(&file, "/sinew", "version", SINEW_VERSION);
    sn_meshes_write_names(&file, source);
    write_vertices(&file, source, rows);
    write_polygons(&file, source, rows);
    write_corners(&file, source, rows);
    write_uvs(&file, source, rows);
    return sn_h5_finish(&file);
}

sn_status sn_meshes_write(const sn_surface_source *source)
{
    mesh_rows rows = count_rows(source);
    sn_status status = write_file(source, &rows);
    free_rows(&rows);
    return status;
}

void sn_meshes_write_split(sn_h5_file *file, const sn_surface_source *source)
{
    mesh_rows rows = count_rows(source);
    if (rows.first_vertex[rows.n_bodies] > rows.first_point[rows.n_bodies])
        write_vertices(file, source, &rows);
    free_rows(&rows);
}
