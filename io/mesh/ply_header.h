/* The header of a PLY file: which elements follow, and what each of their rows holds. */
#ifndef SN_IO_MESH_PLY_HEADER_H
#define SN_IO_MESH_PLY_HEADER_H

#include "base/array.h"
#include "base/status.h"
#include "io/text/byte_order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { SN_PLY_SIGNED, SN_PLY_UNSIGNED, SN_PLY_FLOAT } sn_ply_number;

typedef struct {
    sn_ply_number number;
    int bytes;
} sn_ply_type;

/* What a property is to us. */
typedef enum {
    SN_PLY_SKIP,
    SN_PLY_X,
    SN_PLY_Y,
    SN_PLY_Z,
    SN_PLY_U,
    SN_PLY_V,
    SN_PLY_CORNERS,
    SN_PLY_UVS, /* u and v of each corner */
} sn_ply_role;

typedef struct {
    sn_ply_role role;
    bool is_list;
    sn_ply_type count_type; /* of lists */
    sn_ply_type type;
} sn_ply_property;

typedef enum { SN_PLY_VERTEX, SN_PLY_FACE, SN_PLY_OTHER } sn_ply_kind;

typedef struct {
    sn_ply_kind kind;
    int64_t count; /* as announced: not yet compared with the file's size */
    int64_t line;
    size_t first_property, n_properties;
} sn_ply_element;

typedef struct {
    bool is_ascii;
    sn_byte_order order; /* of binary files */
    SN_VECTOR(sn_ply_element) element;
    SN_VECTOR(sn_ply_property) property;
    bool uvs_of_vertices; /* vertices have U and V; then faces have no UVS */
    size_t bytes;         /* of the header */
    int64_t lines;        /* of the header */
} sn_ply_header;

/* Reads the header at the start of a whole file that is followed by a zero byte. On failure
 * nothing needs freeing. */
SN_CHECKED sn_status sn_ply_header_read(const char *text, size_t bytes, const char *name,
                                        sn_ply_header *header);
void sn_ply_header_free(sn_ply_header *header);

#endif
