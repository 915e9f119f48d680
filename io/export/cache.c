/* Point caches, PC2 and MDD: positions only, as floats, for a mesh that the other program has. */
#include "base/array.h"
#include "io/export/export.h"
#include "io/text/part_file.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

typedef struct {
    FILE *out;
    bool big_endian;
} cache;

/* ---- Numbers of four bytes ---- */

static void put_bits(uint32_t bits, bool big_endian, unsigned char bytes[4])
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(bits >> 8 * (big_endian ? 3 - i : i));
}

static void put_float(double value, bool big_endian, unsigned char bytes[4])
{
    float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    put_bits(bits, big_endian, bytes);
}

static void write_int(const cache *c, int64_t value)
{
    unsigned char bytes[4];
    put_bits((uint32_t)value, c->big_endian, bytes);
    fwrite(bytes, sizeof bytes, 1, c->out);
}

static void write_float(const cache *c, double value)
{
    unsigned char bytes[4];
    put_float(value, c->big_endian, bytes);
    fwrite(bytes, sizeof bytes, 1, c->out);
}

/* ---- Frames ---- */

static sn_status write_points(const sn_export *what, const sn_surface_frame *frame, int index,
                              void *context)
{
    (void)index;
    enum { AT_ONCE = 1024 };
    const cache *c = context;
    sn_surface_body_range part = sn_export_part(what, frame);
    unsigned char bytes[AT_ONCE][3][4];
    for (int64_t first = 0; first < part.n_points; first += AT_ONCE) {
        int64_t n = part.n_points - first < AT_ONCE ? part.n_points - first : AT_ONCE;
        for (int64_t i = 0; i < n; i++)
            for (int d = 0; d < 3; d++)
                put_float(frame->point[part.first_point + first + i][d], c->big_endian,
                          bytes[i][d]);
        if (fwrite(bytes, sizeof bytes[0], (size_t)n, c->out) != (size_t)n)
            return sn_part_file_failed(what->output);
    }
    return SN_OK;
}

typedef void header_writer(const cache *c, const sn_export_frames *frames);

static sn_status write_cache(const sn_export *what, const sn_export_frames *frames, bool big_endian,
                             header_writer *write_header)
{
    if (frames->n_points > INT32_MAX)
        return SN_FAIL(SN_BAD_INPUT, "%s: a point cache has room for 2^31 - 1 points",
                       what->run_dir);
    sn_part_file file;
    SN_TRY(sn_part_file_open(what->output, &file));
    cache c = {file.stream, big_endian};
    write_header(&c, frames);
    return sn_part_file_finish(&file, sn_export_each(what, frames, write_points, &c));
}

static sn_status export_cache(const sn_export *what, bool big_endian, header_writer *write_header)
{
    sn_export_frames frames;
    SN_TRY(sn_export_frames_open(what, &frames));
    sn_status status = write_cache(what, &frames, big_endian, write_header);
    sn_export_frames_free(&frames);
    return status;
}

/* ---- PC2 ---- */

static void write_pc2_header(const cache *c, const sn_export_frames *frames)
{
    static const char signature[12] = "POINTCACHE2";
    enum { VERSION = 1 };
    fwrite(signature, sizeof signature, 1, c->out);
    write_int(c, VERSION);
    write_int(c, frames->n_points);
    write_float(c, frames->frame[0]);
    write_float(c, frames->step); /* frames a sample */
    write_int(c, frames->n);
}

sn_status sn_export_pc2(const sn_export *what)
{
    return export_cache(what, false, write_pc2_header);
}

/* ---- MDD ---- */

static void write_mdd_header(const cache *c, const sn_export_frames *frames)
{
    write_int(c, frames->n);
    write_int(c, frames->n_points);
    for (int i = 0; i < frames->n; i++)
        write_float(c, frames->time[i]);
}

sn_status sn_export_mdd(const sn_export *what)
{
    return export_cache(what, true, write_mdd_header);
}
