/* Small valid mesh files as bytes, for the tests of the readers. */
#ifndef SN_TESTS_MESH_SAMPLES_H
#define SN_TESTS_MESH_SAMPLES_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLE_BYTES = 4096 };

typedef struct {
    char data[SAMPLE_BYTES + 1]; /* a zero byte follows */
    size_t bytes;
} sample;

static inline sample sample_of_text(const char *text)
{
    sample s = {.bytes = strlen(text)};
    memcpy(s.data, text, s.bytes + 1);
    return s;
}

/* Appends a number of the given size in the given byte order. */
static inline void sample_put(sample *s, uint64_t bits, int bytes, int big_endian)
{
    for (int i = 0; i < bytes; i++)
        s->data[s->bytes++] = (char)(bits >> 8 * (big_endian ? bytes - 1 - i : i));
    s->data[s->bytes] = '\0';
}

static inline void sample_put_float(sample *s, float value, int big_endian)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    sample_put(s, bits, 4, big_endian);
}

static inline void sample_put_double(sample *s, double value, int big_endian)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    sample_put(s, bits, 8, big_endian);
}

/* All samples below are this tetrahedron, of volume 1/6, its faces in this order. */
static const double sample_vertex[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int32_t sample_face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

static inline sample sample_obj(void)
{
    return sample_of_text("# tetrahedron \\\r\nmtllib none.mtl\no thing\nv 0 0 0 1.0\r\n"
                          "v 1.0e0 0 0 0.5 0.5 0.5\nv 0 \\\n 1 0\n  v\t0 0 +1.\n"
                          "vt 0 0\nvn 0 0 1\ng a b\nf 1 3 2\nf 1/1 2/1 4/1 # here\n"
                          "f -3//1 -2//1 \\\n -1//1\ns off\nf 1/1/1 4/1/1 3/1/1");
}

/* With properties in an odd order and rows that mean nothing to us. */
static inline sample sample_ply(int is_ascii, int big_endian)
{
    sample s;
    int n = snprintf(s.data, sizeof s.data,
                     "ply\nformat %s 1.0\ncomment \\\nelement camera 2\nproperty short id\n"
                     "property list uchar double matrix\nelement vertex 4\nproperty double z\n"
                     "property uchar red\nproperty float x\nproperty list ushort int neighbours\n"
                     "property float y\nelement nothing 7\nelement face 4\n"
                     "property list uchar int vertex_indices\nproperty float quality\n"
                     "element edge 1\nproperty int a\nend_header\n",
                     is_ascii     ? "ascii"
                     : big_endian ? "binary_big_endian"
                                  : "binary_little_endian");
    s.bytes = (size_t)n;
    if (is_ascii) {
        strcat(s.data, "-1 2 0.5 1e3\n7 0\n0 255 0 0 0\n0 0 1 2 8 9 0\n0 1 0 0 1\n1 1 0 0 0\n"
                       "3 0 2 1 0.5\n3 0 1 3 .5\n3 1 2 3 1\n3 0 3 2 nan\n12\n");
        s.bytes = strlen(s.data);
        return s;
    }
    sample_put(&s, (uint16_t)-1, 2, big_endian);
    sample_put(&s, 1, 1, big_endian);
    sample_put_double(&s, 2.5, big_endian);
    sample_put(&s, 7, 2, big_endian);
    sample_put(&s, 0, 1, big_endian);
    for (int v = 0; v < 4; v++) {
        sample_put_double(&s, sample_vertex[v][2], big_endian);
        sample_put(&s, 200, 1, big_endian);
        sample_put_float(&s, (float)sample_vertex[v][0], big_endian);
        sample_put(&s, (uint64_t)v % 2, 2, big_endian);
        if (v % 2)
            sample_put(&s, 77, 4, big_endian);
        sample_put_float(&s, (float)sample_vertex[v][1], big_endian);
    }
    for (int f = 0; f < 4; f++) {
        sample_put(&s, 3, 1, big_endian);
        for (int c = 0; c < 3; c++)
            sample_put(&s, (uint64_t)sample_face[f][c], 4, big_endian);
        sample_put_float(&s, 0.5f, big_endian);
    }
    sample_put(&s, 12, 4, big_endian);
    return s;
}

static inline sample sample_stl_ascii(void)
{
    sample s = sample_of_text("solid tetrahedron of mine\n");
    for (int f = 0; f < 4; f++) {
        strcat(s.data, "  facet normal 0 0 0\n    outer loop\r\n");
        for (int c = 0; c < 3; c++) {
            const double *v = sample_vertex[sample_face[f][c]];
            sprintf(s.data + strlen(s.data), "      VERTEX %g %.3e %f\n", v[0], v[1], v[2]);
        }
        strcat(s.data, "    endloop\n  endfacet\n");
    }
    strcat(s.data, "endsolid\n");
    s.bytes = strlen(s.data);
    return s;
}

static inline sample sample_stl_binary(void)
{
    enum { HEADER_BYTES = 80 };
    sample s = {.data = "solid in name only", .bytes = HEADER_BYTES};
    sample_put(&s, 4, 4, 0);
    for (int f = 0; f < 4; f++) {
        for (int d = 0; d < 3; d++)
            sample_put_float(&s, 0, 0);
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++)
                sample_put_float(&s, (float)sample_vertex[sample_face[f][c]][d], 0);
        sample_put(&s, 0, 2, 0);
    }
    return s;
}

#endif
