#include "report/clip.h"

#include "report/embed.h"

#include <math.h>
#include <string.h>

sn_clip sn_clip_begin(FILE *out, const char *id, size_t n_points, size_t a_value)
{
    return (sn_clip){.out = out, .id = id, .n_points = n_points, .a_value = a_value};
}

void sn_clip_add_field(sn_clip *clip, const char *name, const char *units)
{
    if (clip->n_fields == SN_CLIP_FIELDS)
        return;
    sn_clip_field *field = &clip->field[clip->n_fields++];
    snprintf(field->name, sizeof field->name, "%s", name);
    snprintf(field->units, sizeof field->units, "%s", units);
}

static sn_base64 begin_block(const sn_clip *clip, const char *name)
{
    fprintf(clip->out, "<script type=\"text/plain\" id=\"%s-%s\">", clip->id, name);
    return (sn_base64){.out = clip->out};
}

static void end_block(sn_base64 *block)
{
    sn_base64_finish(block);
    fputs("</script>\n", block->out);
}

void sn_clip_put_mesh(sn_clip *clip, const uint32_t (*triangle)[3], size_t n)
{
    sn_base64 block = begin_block(clip, "mesh");
    clip->n_triangles = n;
    for (size_t i = 0; i < n; i++)
        sn_base64_put_u32(&block, triangle[i], 3);
    end_block(&block);
}

/* ---- Codes ---- */

static void widen(sn_code_range *range, double value)
{
    if (!isfinite(value))
        return;
    range->low = isnan(range->low) ? value : fmin(range->low, value);
    range->high = isnan(range->high) ? value : fmax(range->high, value);
}

static uint16_t code_of(const sn_code_range *range, double value)
{
    double span = range->high - range->low;
    if (!isfinite(value) || !isfinite(span)) /* the ends of what doubles can be are too far apart */
        return SN_NO_VALUE;
    return (uint16_t)(span > 0 ? (value - range->low) / span * SN_MOST_CODE + 0.5 : 0);
}

static void put_points(const sn_clip *clip, sn_base64 *block, const double (*point)[3],
                       sn_code_range box[3])
{
    for (int d = 0; d < 3; d++) {
        box[d] = (sn_code_range){NAN, NAN};
        for (size_t i = 0; i < clip->n_points; i++)
            widen(&box[d], point[i][d]);
    }
    for (size_t i = 0; i < clip->n_points; i++)
        for (int d = 0; d < 3; d++) {
            uint16_t code = code_of(&box[d], point[i][d]);
            sn_base64_put_u16(block, &code, 1);
        }
}

static void put_values(sn_base64 *block, const float *value, size_t n, sn_code_range *range)
{
    *range = (sn_code_range){NAN, NAN};
    for (size_t i = 0; i < n && value; i++)
        widen(range, (double)value[i]);
    for (size_t i = 0; i < n; i++) {
        uint16_t code = value ? code_of(range, (double)value[i]) : SN_NO_VALUE;
        sn_base64_put_u16(block, &code, 1);
    }
}

void sn_clip_put_frame(sn_clip *clip, int frame, double time, const double (*point)[3],
                       const float *const *value)
{
    char name[24];
    sn_clip_frame one = {.frame = frame, .time = time};
    snprintf(name, sizeof name, "%zu", clip->frames.count);
    sn_base64 block = begin_block(clip, name);
    put_points(clip, &block, point, one.box);
    for (int f = 0; f < clip->n_fields; f++)
        put_values(&block, value[f], clip->n_points / clip->a_value, &one.field[f]);
    end_block(&block);
    sn_push(&clip->frames, one);
}

/* ---- What it all means ---- */

static void describe_ranges(const sn_code_range *range, int n, FILE *out)
{
    for (int i = 0; i < n; i++) {
        fputs(i > 0 ? ",[" : "[", out);
        sn_embed_number(out, range[i].low);
        putc(',', out);
        sn_embed_number(out, range[i].high);
        putc(']', out);
    }
}

static void describe_frame(const sn_clip *clip, const sn_clip_frame *frame, FILE *out)
{
    fprintf(out, "{\"frame\":%d,\"time\":", frame->frame);
    sn_embed_number(out, frame->time);
    fputs(",\"box\":[", out);
    describe_ranges(frame->box, 3, out);
    fputs("],\"ranges\":[", out);
    describe_ranges(frame->field, clip->n_fields, out);
    fputs("]}", out);
}

void sn_clip_describe(const sn_clip *clip, FILE *out)
{
    fprintf(out, "{\"id\":\"%s\",\"points\":%zu,\"aValue\":%zu,\"triangles\":%zu,\"fields\":[",
            clip->id, clip->n_points, clip->a_value, clip->n_triangles);
    for (int i = 0; i < clip->n_fields; i++) {
        fputs(i > 0 ? ",{\"name\":" : "{\"name\":", out);
        sn_embed_text(out, clip->field[i].name, strlen(clip->field[i].name));
        fputs(",\"units\":", out);
        sn_embed_text(out, clip->field[i].units, strlen(clip->field[i].units));
        putc('}', out);
    }
    fputs("],\"frames\":[", out);
    for (size_t i = 0; i < clip->frames.count; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        describe_frame(clip, &clip->frames.data[i], out);
    }
    putc(']', out);
}

void sn_clip_free(sn_clip *clip)
{
    sn_vector_free(&clip->frames);
}
