/* surface.xmf: all frames of a run directory with their times, for programs that read XDMF. */
#include "base/array.h"
#include "io/part_file.h"
#include "io/surface_read.h"
#include "io/surface_write.h"

#include <inttypes.h>

enum { PATH_BYTES = 4096, FILE_BYTES = 64 };

static void write_array(FILE *out, const char *file, const char *name, const char *type, int bytes,
                        int64_t rows, const char *columns)
{
    fprintf(out,
            "<DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%d\" Dimensions=\"%" PRId64
            "%s\">%s:/VTKHDF/%s</DataItem>",
            type, bytes, rows, columns, file, name);
}

static void write_grid(FILE *out, int frame, double time, int64_t n_points, int64_t n_faces)
{
    char file[FILE_BYTES];
    snprintf(file, sizeof file, SN_SURFACE_FILE_FORMAT, frame);
    fprintf(out, "<Grid Name=\"frame %d\" GridType=\"Uniform\"><Time Value=\"%.17g\"/>\n", frame,
            time);
    fprintf(out, "<Topology TopologyType=\"Triangle\" NumberOfElements=\"%" PRId64 "\">", n_faces);
    write_array(out, file, "Connectivity", "Int", 8, 3 * n_faces, "");
    fprintf(out, "</Topology>\n<Geometry GeometryType=\"XYZ\">");
    write_array(out, file, "Points", "Float", 8, n_points, " 3");
    fprintf(out, "</Geometry>\n<Attribute Name=\"body\" Center=\"Cell\" AttributeType=\"Scalar\">");
    write_array(out, file, "CellData/body", "Int", 4, n_faces, "");
    fprintf(out, "</Attribute></Grid>\n");
}

sn_status sn_surface_write_series(const sn_surface_source *source, int64_t n_points,
                                  int64_t n_faces)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/" SN_SURFACE_SERIES_FILE, source->run_dir);
    int *frames = NULL, n = 0;
    sn_part_file file;
    SN_TRY(sn_surface_frames_list(source->run_dir, &frames, &n));
    sn_status status = sn_part_file_open(path, &file);
    if (status == SN_OK) {
        fprintf(file.stream, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\"><Domain>\n"
                             "<Grid Name=\"surface\" GridType=\"Collection\" "
                             "CollectionType=\"Temporal\">\n");
        for (int i = 0; i < n; i++)
            write_grid(file.stream, frames[i], sn_surface_time(source, frames[i]), n_points,
                       n_faces);
        fprintf(file.stream, "</Grid>\n</Domain></Xdmf>\n");
        status = sn_part_file_finish(&file, SN_OK);
    }
    sn_free(frames);
    return status;
}
