#include "io/frames/series.h"

#include "io/frames/files.h"
#include "io/hdf5/read.h"
#include "io/text/part_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

/* ---- What a file says of itself ---- */

/* A description that is being written. */
typedef struct {
    sn_h5_source source;
    const char *file; /* its name in the series */
    FILE *out;
    bool good; /* what was expected was there */
} description;

typedef struct {
    int dimensions;
    hsize_t size[2];
    const char *number; /* XDMF's name of its type */
    size_t bytes;       /* of a number */
} array_shape;

static bool look_at_array(description *d, const char *name, array_shape *shape)
{
    hid_t set = H5Dopen2(d->source.file, name, H5P_DEFAULT);
    if (set < 0)
        return false;
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    *shape =
        (array_shape){.dimensions = H5Sget_simple_extent_ndims(space), .bytes = H5Tget_size(type)};
    bool good = shape->dimensions == 1 || shape->dimensions == 2;
    if (good)
        H5Sget_simple_extent_dims(space, shape->size, NULL);
    bool is_real = H5Tget_class(type) == H5T_FLOAT;
    shape->number = is_real ? "Float" : shape->bytes == 1 ? "UChar" : "Int";
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return good;
}

static array_shape put_array(description *d, const char *name)
{
    array_shape shape = {0};
    d->good = d->good && look_at_array(d, name, &shape);
    if (!d->good)
        return shape;
    fprintf(d->out,
            "<DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%zu\" Dimensions=\"%" PRIu64,
            shape.number, shape.bytes, (uint64_t)shape.size[0]);
    if (shape.dimensions == 2)
        fprintf(d->out, " %" PRIu64, (uint64_t)shape.size[1]);
    fprintf(d->out, "\">%s:%s</DataItem>", d->file, name);
    return shape;
}

static herr_t put_field(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    (void)info;
    description *d = context;
    char path[PATH_BYTES], inside[PATH_BYTES];
    array_shape shape;
    if (H5Iget_name(group, path, sizeof path) <= 0 ||
        snprintf(inside, sizeof inside, "%s/%s", path, name) >= (int)sizeof inside)
        return 0;
    if (!look_at_array(d, inside, &shape))
        return 0;
    fprintf(d->out, "<Attribute Name=\"%s\" Center=\"%s\" AttributeType=\"%s\">", name,
            strstr(path, "Point") ? "Node" : "Cell", shape.dimensions == 2 ? "Vector" : "Scalar");
    put_array(d, inside);
    fprintf(d->out, "</Attribute>\n");
    return 0;
}

static void put_fields(description *d, const char *name)
{
    hid_t group = H5Gopen2(d->source.file, name, H5P_DEFAULT);
    d->good = d->good && group >= 0 &&
              H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, put_field, d) >= 0;
    if (group >= 0)
        H5Gclose(group);
}

/* The kind of its cells, which are all of one, and how many there are. */
static const char *topology_of(description *d, int64_t *cells)
{
    enum { VTK_TRIANGLE = 5, VTK_HEXAHEDRON = 12 };
    uint8_t type = 0;
    if (sn_h5_read_rows(&d->source, "/VTKHDF/Types", 0, cells) != SN_OK)
        return NULL;
    sn_slab first = {0, *cells > 0};
    if (sn_h5_read_array(&d->source, "/VTKHDF/Types", H5T_NATIVE_UINT8, 0, first, &type) != SN_OK)
        return NULL;
    return type == VTK_HEXAHEDRON ? "Hexahedron" : type == VTK_TRIANGLE ? "Triangle" : NULL;
}

static void put_grid(description *d, int frame)
{
    double time = 0;
    int64_t cells = 0;
    const char *topology = topology_of(d, &cells);
    d->good = topology && sn_h5_read_attribute(&d->source, "/sinew", "time", H5T_NATIVE_DOUBLE, 1,
                                               &time) == SN_OK;
    if (!d->good)
        return;
    fprintf(d->out,
            "<Grid Name=\"frame %d\" GridType=\"Uniform\"><Time Value=\"%.17g\"/>\n"
            "<Topology TopologyType=\"%s\" NumberOfElements=\"%" PRId64 "\">",
            frame, time, topology, cells);
    put_array(d, "/VTKHDF/Connectivity");
    fprintf(d->out, "</Topology>\n<Geometry GeometryType=\"XYZ\">");
    put_array(d, "/VTKHDF/Points");
    fprintf(d->out, "</Geometry>\n");
    put_fields(d, "/VTKHDF/PointData");
    put_fields(d, "/VTKHDF/CellData");
    fprintf(d->out, "</Grid>\n");
}

/* For free(); NULL if the file is no frame. */
static char *describe(const sn_frame_series *s, int frame)
{
    char path[PATH_BYTES], *text = NULL;
    size_t length;
    sn_frame_file file = sn_frame_file_of(s->kind, frame);
    description d = {.file = file.text};
    snprintf(path, sizeof path, "%s/%s", s->run_dir, file.text);
    if (sn_h5_open(MPI_COMM_SELF, path, &d.source) != SN_OK)
        return NULL;
    d.out = open_memstream(&text, &length);
    if (d.out) {
        put_grid(&d, frame);
        d.good = fclose(d.out) == 0 && d.good;
    }
    sn_h5_close(&d.source);
    if (d.good)
        return text;
    free(text);
    return NULL;
}

/* ---- The series ---- */

sn_frame_series sn_frame_series_create(MPI_Comm comm, const char *run_dir, const char *kind)
{
    return (sn_frame_series){.comm = comm, .run_dir = run_dir, .kind = kind};
}

void sn_frame_series_free(sn_frame_series *s)
{
    for (size_t i = 0; i < s->entries.count; i++)
        free(s->entries.data[i].grid);
    sn_vector_free(&s->entries);
    *s = (sn_frame_series){0};
}

/* In its place among the others, or in that of an older description. */
static void put_entry(sn_frame_series *s, int frame)
{
    sn_series_entry entry = {frame, describe(s, frame)};
    size_t at = s->entries.count;
    while (at > 0 && s->entries.data[at - 1].frame >= frame)
        at--;
    if (at < s->entries.count && s->entries.data[at].frame == frame) {
        free(s->entries.data[at].grid);
        s->entries.data[at] = entry;
        return;
    }
    sn_push(&s->entries, entry);
    memmove(s->entries.data + at + 1, s->entries.data + at,
            (s->entries.count - 1 - at) * sizeof entry);
    s->entries.data[at] = entry;
}

static sn_status list_frames(sn_frame_series *s)
{
    int *frames = NULL, n = 0;
    SN_TRY(sn_frame_files_list(s->run_dir, s->kind, &frames, &n));
    for (int i = 0; i < n; i++)
        put_entry(s, frames[i]);
    sn_free(frames);
    s->listed = true;
    return SN_OK;
}

static sn_status write_series(const sn_frame_series *s)
{
    char path[PATH_BYTES];
    sn_part_file file;
    snprintf(path, sizeof path, "%s/%s" SN_FRAME_SERIES_ENDING, s->run_dir, s->kind);
    SN_TRY(sn_part_file_open(path, &file));
    fprintf(file.stream,
            "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\"><Domain>\n"
            "<Grid Name=\"%s\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
            s->kind);
    for (size_t i = 0; i < s->entries.count; i++)
        if (s->entries.data[i].grid)
            fputs(s->entries.data[i].grid, file.stream);
    fprintf(file.stream, "</Grid>\n</Domain></Xdmf>\n");
    return sn_part_file_finish(&file, SN_OK);
}

static sn_status add(sn_frame_series *s, int frame)
{
    if (s->listed)
        put_entry(s, frame);
    else
        SN_TRY(list_frames(s));
    return write_series(s);
}

sn_status sn_frame_series_add(sn_frame_series *s, int frame)
{
    int rank;
    MPI_Comm_rank(s->comm, &rank);
    return sn_agree(s->comm, rank == 0 ? add(s, frame) : SN_OK);
}
