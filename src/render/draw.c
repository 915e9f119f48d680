#include "base/array.h"
#include "render/parts.h"

#include <string.h>

enum {
    SAMPLES_ACROSS = 3, /* a pixel; odd, so that one goes through its centre */
    BAND_ROWS = 32,     /* of pixels, drawn and merged at a time */
};

sn_sample sn_sample_pack(float depth, sn_colour colour)
{
    uint32_t bits;
    memcpy(&bits, &depth, sizeof bits);
    uint32_t rgba =
        (uint32_t)colour.r << 24 | (uint32_t)colour.g << 16 | (uint32_t)colour.b << 8 | 255;
    return (uint64_t)bits << 32 | rgba;
}

float sn_sample_depth(sn_sample s)
{
    uint32_t bits = (uint32_t)(s >> 32);
    float depth;
    memcpy(&depth, &bits, sizeof depth);
    return s == SN_EMPTY_SAMPLE ? INFINITY : depth;
}

sn_colour sn_sample_colour(sn_sample s)
{
    return (sn_colour){(uint8_t)(s >> 24), (uint8_t)(s >> 16), (uint8_t)(s >> 8)};
}

/* Casts the rays of the rows [first, end) of the finer grid of samples. */
static void cast_rows(const sn_picture *picture, const sn_caster *c, int first, int end,
                      sn_sample *out)
{
    int columns = picture->width * SAMPLES_ACROSS, rows = picture->height * SAMPLES_ACROSS;
#pragma omp parallel for schedule(dynamic, 1)
    for (int row = first; row < end; row++) {
        float y = 1 - 2 * ((float)row + 0.5f) / (float)rows;
        for (int column = 0; column < columns; column++) {
            float x = 2 * ((float)column + 0.5f) / (float)columns - 1;
            out[(size_t)(row - first) * (size_t)columns + (size_t)column] = sn_caster_cast(c, x, y);
        }
    }
}

sn_vector3 sn_background_light(const sn_picture *picture, int row)
{
    float down = ((float)row + 0.5f) / (float)picture->height;
    return sn_add3(sn_scale3(1 - down, sn_colour_to_light(picture->background.top)),
                   sn_scale3(down, sn_colour_to_light(picture->background.bottom)));
}

/* What a pixel's samples are together, in linear light. */
static sn_colour mix_pixel(const sn_sample *corner, size_t columns, sn_vector3 background,
                           const sn_vector3 *light_of)
{
    sn_vector3 sum = {0, 0, 0};
    for (size_t j = 0; j < SAMPLES_ACROSS; j++)
        for (size_t i = 0; i < SAMPLES_ACROSS; i++) {
            sn_sample s = corner[j * columns + i];
            sn_colour colour = sn_sample_colour(s);
            sn_vector3 light = {light_of[colour.r].x, light_of[colour.g].x, light_of[colour.b].x};
            sum = sn_add3(sum, s == SN_EMPTY_SAMPLE ? background : light);
        }
    return sn_light_to_colour(sn_scale3(1.0f / (SAMPLES_ACROSS * SAMPLES_ACROSS), sum));
}

static void resolve_row(const sn_picture *picture, int row, const sn_sample *samples,
                        const sn_vector3 *light_of, sn_image *image)
{
    size_t columns = (size_t)picture->width * SAMPLES_ACROSS, middle = SAMPLES_ACROSS / 2;
    sn_vector3 background = sn_background_light(picture, row);
    for (size_t x = 0; x < (size_t)picture->width; x++) {
        const sn_sample *corner = samples + x * SAMPLES_ACROSS;
        sn_colour colour = mix_pixel(corner, columns, background, light_of);
        size_t pixel = (size_t)row * (size_t)picture->width + x;
        uint8_t *rgba = image->rgba + 4 * pixel;
        rgba[0] = colour.r;
        rgba[1] = colour.g;
        rgba[2] = colour.b;
        rgba[3] = 255;
        image->depth[pixel] =
            sn_sample_depth(corner[middle * columns + middle]) / (float)picture->view.scale;
    }
}

static void merge(MPI_Comm comm, sn_sample *samples, int count)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : samples, samples, count, MPI_UINT64_T, MPI_MIN, 0, comm);
}

static void draw_bands(const sn_picture *picture, const sn_caster *c, MPI_Comm comm,
                       sn_image *image)
{
    sn_vector3 light_of[256];
    for (int i = 0; i < 256; i++)
        light_of[i] = sn_colour_to_light((sn_colour){(uint8_t)i, 0, 0});
    size_t row_samples = (size_t)picture->width * SAMPLES_ACROSS * SAMPLES_ACROSS;
    sn_sample *samples = SN_NEW(sn_sample, row_samples * BAND_ROWS);
    for (int first = 0; first < picture->height; first += BAND_ROWS) {
        int end = first + BAND_ROWS < picture->height ? first + BAND_ROWS : picture->height;
        cast_rows(picture, c, first * SAMPLES_ACROSS, end * SAMPLES_ACROSS, samples);
        merge(comm, samples, (int)row_samples * (end - first));
        if (image->rgba)
            for (int row = first; row < end; row++)
                resolve_row(picture, row, samples + (size_t)(row - first) * row_samples, light_of,
                            image);
    }
    sn_free(samples);
}

sn_status sn_picture_draw(const sn_picture *picture, MPI_Comm comm, sn_image *image)
{
    *image = (sn_image){0};
    sn_caster *c;
    sn_status status = sn_agree(comm, sn_caster_create(picture, false, &c));
    if (status == SN_OK) {
        int rank;
        MPI_Comm_rank(comm, &rank);
        if (rank == 0) {
            size_t pixels = (size_t)picture->width * (size_t)picture->height;
            *image = (sn_image){picture->width, picture->height, SN_NEW(uint8_t, 4 * pixels),
                                SN_NEW(float, pixels)};
        }
        draw_bands(picture, c, comm, image);
    }
    sn_caster_free(c);
    return status;
}
