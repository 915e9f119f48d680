/* Readers of the HDF5 files of a run directory: surface frames, the meshes of their files, and
 * cells.
 *
 * They get files that HDF5 can read and whose numbers are wrong, as HDF5 itself is trusted with its
 * own bytes. They are made of a text: a line has an array's name, how many rows it is said to have,
 * and its values; `name` has the bytes of a text and then the bodies' names. */
#include "helpers/fuzz_targets.h"

#include "base/array.h"
#include "io/frames/frame_fields.h"
#include "io/frames/meshes.h"
#include "io/frames/octree_read.h"
#include "io/frames/surface_read.h"

#include <hdf5.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 256, FRAME = 3, MOST_VALUES = 1024 };

typedef struct {
    hid_t file, group;
} frame_file;

static hid_t make_set(const frame_file *f, const char *name, hid_t type, hsize_t rows, int columns)
{
    hsize_t size[2] = {rows, (hsize_t)columns}, chunk[2] = {64, (hsize_t)columns};
    int dimensions = columns > 0 ? 2 : 1;
    hid_t space = H5Screate_simple(dimensions, size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    if (rows > MOST_VALUES) /* in chunks that are never written */
        H5Pset_chunk(how, dimensions, chunk);
    hid_t set = H5Dcreate2(f->file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    return set;
}

static void put_set(const frame_file *f, const char *name, hid_t type, hsize_t rows, int columns,
                    const void *values)
{
    hid_t set = make_set(f, name, type, rows, columns);
    if (set >= 0 && rows <= MOST_VALUES)
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (set >= 0)
        H5Dclose(set);
}

static void put_number(const frame_file *f, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(f->group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0) {
        H5Awrite(attribute, type, value);
        H5Aclose(attribute);
    }
    H5Sclose(space);
}

static void put_reals(const frame_file *f, const char *name, hsize_t rows, int columns, char *text)
{
    static double value[3 * MOST_VALUES];
    memset(value, 0, sizeof value);
    for (size_t i = 0; i < sizeof value / sizeof *value && *text; i++)
        value[i] = strtod(text, &text);
    put_set(f, name, H5T_NATIVE_DOUBLE, rows, columns, value);
}

static void put_integers(const frame_file *f, const char *name, hsize_t rows, char *text)
{
    int64_t value[MOST_VALUES] = {0};
    for (size_t i = 0; i < MOST_VALUES && *text; i++)
        value[i] = strtoll(text, &text, 10);
    put_set(f, name, H5T_NATIVE_INT64, rows, 0, value);
}

/* What does not begin so has whole numbers. */
static const struct {
    const char *begin;
    int columns;
} REAL[] = {
    {"/VTKHDF/Points", 3},
    {"/VTKHDF/PointData/", 3},
    {"/VTKHDF/CellData/", 0},
    {"/sinew/uv ", 2},
};

static void put_array(const frame_file *f, const char *line, const char *name, hsize_t rows,
                      char *text)
{
    for (size_t i = 0; i < sizeof REAL / sizeof *REAL; i++)
        if (strncmp(line, REAL[i].begin, strlen(REAL[i].begin)) == 0) {
            put_reals(f, name, rows, REAL[i].columns, text);
            return;
        }
    put_integers(f, name, rows, text);
}

static void put_names(const frame_file *f, hsize_t rows, char *text)
{
    static char names[MOST_VALUES << 6];
    size_t length = strtoul(text, &text, 10) % 64 + 1;
    memset(names, 0, sizeof names);
    memcpy(names, text, strlen(text));
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length);
    put_set(f, "/sinew/name", type, rows, 0, names);
    H5Tclose(type);
}

static void put_line(const frame_file *f, char *line)
{
    char name[PATH_BYTES], *values;
    size_t length = strcspn(line, " ");
    if (length >= sizeof name)
        return;
    snprintf(name, sizeof name, "%.*s", (int)length, line);
    double real = strtod(line + length, &values);
    int64_t whole = strtoll(line + length, &values, 10);
    if (strcmp(name, "frame") == 0)
        put_number(f, name, H5T_NATIVE_INT64, &whole);
    else if (strcmp(name, "time") == 0 || strcmp(name, "fps") == 0)
        put_number(f, name, H5T_NATIVE_DOUBLE, &real);
    else if (strcmp(name, "name") == 0)
        put_names(f, (hsize_t)whole, values);
    else if (name[0] == '/')
        put_array(f, line, name, (hsize_t)whole, values);
}

static void close_group(hid_t file, const char *name)
{
    H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void make_file(const char *path, char *text)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    frame_file f = {.file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    close_group(f.file, "/VTKHDF");
    close_group(f.file, "/VTKHDF/CellData");
    close_group(f.file, "/VTKHDF/PointData");
    f.group = H5Gcreate2(f.file, "/sinew", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        put_line(&f, line);
    H5Gclose(f.group);
    H5Fclose(f.file);
}

/* A folder of its own with one such file. */
typedef struct {
    char folder[FUZZ_FOLDER_BYTES], path[PATH_BYTES];
} run_folder;

static run_folder make_folder_with(const char *name, char *text)
{
    run_folder r;
    fuzz_make_folder(r.folder);
    snprintf(r.path, sizeof r.path, "%s/%s", r.folder, name);
    make_file(r.path, text);
    return r;
}

static void remove_folder(const run_folder *r)
{
    remove(r->path);
    rmdir(r->folder);
}

/* ---- Surface frames ---- */

/* As who draws or exports it would: every corner of every body's faces is one of its points. */
static void use(const sn_surface_frame *s)
{
    for (int b = 0; b < s->n_bodies; b++) {
        const sn_surface_body_range *body = &s->body[b];
        for (int64_t f = body->first_face; f < body->first_face + body->n_faces; f++)
            for (int64_t c = s->first_corner[f]; c < s->first_corner[f + 1]; c++)
                if (s->corner[c] < body->first_point ||
                    s->corner[c] >= body->first_point + body->n_points ||
                    !(s->point[s->corner[c]][0] < 1e38))
                    abort();
        if (strlen(body->name) > MOST_VALUES || strpbrk(body->name, "\n\x1b"))
            abort();
    }
}

sn_status fuzz_read_frame(char *data, size_t bytes)
{
    sn_surface_frame frame;
    (void)bytes;
    run_folder r = make_folder_with("surface_0003.vtkhdf", data);
    sn_status status = sn_surface_frame_read(r.folder, FRAME, &frame);
    if (status == SN_OK) {
        use(&frame);
        sn_surface_frame_free(&frame);
    }
    remove_folder(&r);
    return status;
}

static const char TETRAHEDRON[] =
    "frame 3\ntime 0.125\nfps 24\n/VTKHDF/Points 4 0 0 0 1 0 0 0 1 0 0 0 1\n"
    "/VTKHDF/Connectivity 12 0 2 1 0 1 3 1 2 3 0 3 2\n/VTKHDF/Offsets 5 0 3 6 9 12\n"
    "/sinew/first_point 2 0 4\n/sinew/first_face 2 0 4\nname 1 5 flesh\n";
static const char TWO_BODIES[] =
    "frame 3\ntime 0\nfps 1\n/VTKHDF/Points 5 0 0 0 1 0 0 0 1 0 0 0 0 1 1 1\n"
    "/VTKHDF/Connectivity 3 0 1 2\n/VTKHDF/Offsets 2 0 3\n"
    "/sinew/first_point 3 0 3 5\n/sinew/first_face 3 0 1 1\nname 2 1 ab\n";

sample fuzz_seed_frame(int i)
{
    return sample_of_text(i == 0 ? TETRAHEDRON : TWO_BODIES);
}

/* ---- meshes.hdf5, and a frame that gets its vertices ---- */

static void use_places(const sn_surface_frame *s)
{
    for (int64_t c = 0; s->uv && c < s->first_corner[s->n_faces]; c++)
        if (s->uv_corner[c] >= s->n_uvs ||
            (s->uv_corner[c] >= 0 && !(s->uv[s->uv_corner[c]][0] < 1 / 0.0)))
            abort();
}

static sn_status split(const char *folder, const sn_meshes *meshes)
{
    sn_surface_frame frame;
    SN_TRY(sn_surface_frame_read(folder, FRAME, &frame));
    sn_status status = sn_meshes_split_frame(meshes, folder, &frame);
    if (status == SN_OK) {
        use(&frame);
        use_places(&frame);
    }
    sn_surface_frame_free(&frame);
    return status;
}

/* One file stands for both. */
sn_status fuzz_read_meshes(char *data, size_t bytes)
{
    sn_meshes meshes;
    char path[PATH_BYTES];
    bool exists;
    (void)bytes;
    run_folder r = make_folder_with("surface_0003.vtkhdf", data);
    snprintf(path, sizeof path, "%s/" SN_MESHES_FILE, r.folder);
    if (symlink(r.path, path) != 0)
        abort();
    sn_status status = sn_meshes_read(r.folder, &exists, &meshes);
    if (status == SN_OK) {
        status = split(r.folder, &meshes);
        sn_meshes_free(&meshes);
    }
    remove(path);
    remove_folder(&r);
    return status;
}

sample fuzz_seed_meshes(int i)
{
    static const char seamed[] =
        "/sinew/vertex_point 5 0 1 2 3 0\n/sinew/first_vertex 2 0 5\n/sinew/corner 10 0 2 1 4 1 3 "
        "1 2 3 4\n"
        "/sinew/first_corner 4 0 3 6 10\n/sinew/first_polygon 2 0 3\n/sinew/uv 3 0 0 1 0.5 0.25 1\n"
        "/sinew/uv_corner 10 0 1 2 -1 -1 -1 2 1 0 0\n";
    static const char plain[] =
        "/sinew/vertex_point 5 0 1 2 4 3\n/sinew/first_vertex 3 0 3 5\n/sinew/corner 3 2 1 0\n"
        "/sinew/first_corner 2 0 3\n/sinew/first_polygon 3 0 1 1\n";
    sample s = sample_of_text(i == 0 ? TETRAHEDRON : TWO_BODIES);
    strcat(s.data, i == 0 ? seamed : plain);
    s.bytes = strlen(s.data);
    return s;
}

/* ---- Cells, and their fields ---- */

static void use_cells(const sn_octree_frame *f)
{
    for (int64_t i = 0; i < f->n_cells; i++)
        for (int c = 0; c < SN_HEXAHEDRON_CORNERS; c++)
            if (f->corner[i][c] < 0 || f->corner[i][c] >= f->n_points ||
                !(f->point[f->corner[i][c]][0] < 1 / 0.0f))
                abort();
}

static sn_status read_fields(const char *folder)
{
    sn_frame_fields fields;
    SN_TRY(sn_frame_fields_open(folder, SN_OCTREE_FRAMES, FRAME, &fields));
    for (size_t i = 0; i < fields.list.count; i++) {
        float *values;
        if (sn_frame_field_sizes(&fields, &fields.list.data[i], &values) == SN_OK)
            sn_free(values);
    }
    sn_frame_fields_close(&fields);
    return SN_OK;
}

sn_status fuzz_read_cells(char *data, size_t bytes)
{
    sn_octree_frame frame;
    (void)bytes;
    run_folder r = make_folder_with("octree_0003.vtkhdf", data);
    sn_status status = sn_octree_frame_read(r.folder, FRAME, &frame);
    if (status == SN_OK) {
        use_cells(&frame);
        sn_octree_frame_free(&frame);
    }
    sn_status fields = read_fields(r.folder);
    remove_folder(&r);
    return status == SN_OK ? fields : status;
}

sample fuzz_seed_cells(int i)
{
    (void)i;
    return sample_of_text(
        "/VTKHDF/Points 12 0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 2 0 0 2 1 0 2 0 1 2 1 "
        "1\n"
        "/VTKHDF/Connectivity 16 0 1 2 3 4 5 6 7 1 8 9 2 5 10 11 6\n/VTKHDF/Types 2 12 12\n"
        "/VTKHDF/CellData/det_f 2 1 -0.5\n/VTKHDF/PointData/velocity 12 0 0 1 3 4 0\n");
}
