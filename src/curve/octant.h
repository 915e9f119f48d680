/* The octant: 8 bytes that are an element, a node, or both (section 5 of the paper).
 *
 *        z          corner (and child) c sits at the anchor plus the edge times
 *        | y        (c & 1, c >> 1 & 1, c >> 2 & 1): Morton order, as in the paper's
 *        |/         figure 7.
 *        +--- x
 *
 * The anchor is corner 0. Height 0 is the finest; the edge is 2^height finest cells. Two
 * octants of one body may share anchor and height and still be different copies, one for
 * each part of the body inside; the copy number is part of the identity and of the order.
 *
 * A key is the octant's identity and its place on the curve of the whole forest: the body in the
 * upper 10 bits, the anchor's Morton code below, and the copy in the lowest 6. So all copies of an
 * octant stand together. A body's octants are stored together, so an octant does not repeat its
 * body. */
#ifndef SN_CURVE_OCTANT_H
#define SN_CURVE_OCTANT_H

#include "curve/morton.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

typedef uint64_t sn_key;

enum {
    SN_COPY_BITS = 6,
    SN_MORTON_BITS = 48, /* above those of the copy; above these is the body */
    SN_MOST_COPIES = 1 << SN_COPY_BITS,
    SN_MOST_BODIES = 1 << (64 - SN_MORTON_BITS - SN_COPY_BITS),
    SN_MAX_ROOT_HEIGHT = 16,    /* 2^16 finest cells along a root cube */
    SN_MAX_HEIGHTS = 17,        /* 0 .. 16 */
    SN_MAX_COORDINATE = 0xffff, /* of an anchor: a node can lie on a cell's far side */
};

typedef struct {
    uint16_t anchor[3];
    uint16_t height : 5;
    uint16_t is_element : 1;
    uint16_t is_node : 1;
    uint16_t is_apart : 1; /* see octree/bonds.h */
    uint16_t copy : 8;     /* below SN_MOST_COPIES */
} sn_octant;

static_assert(sizeof(sn_octant) == 8, "an octant is 8 bytes");

/* The first copy of what is anchored at a cell of a body, by the cell's Morton code. */
static inline sn_key sn_key_of_morton(int body, uint64_t morton)
{
    return (sn_key)body << (SN_MORTON_BITS + SN_COPY_BITS) | morton << SN_COPY_BITS;
}

static inline sn_key sn_key_of(int body, uint32_t x, uint32_t y, uint32_t z)
{
    return sn_key_of_morton(body, sn_morton(x, y, z));
}

static inline int sn_key_body(sn_key key)
{
    return (int)(key >> (SN_MORTON_BITS + SN_COPY_BITS));
}

static inline void sn_key_anchor(sn_key key, uint32_t xyz[3])
{
    sn_morton_decode(key >> SN_COPY_BITS, xyz);
}

static inline int sn_key_copy(sn_key key)
{
    return (int)(key & (SN_MOST_COPIES - 1));
}

/* The first copy at the same place. */
static inline sn_key sn_key_place(sn_key key)
{
    return key & ~(sn_key)(SN_MOST_COPIES - 1);
}

static inline sn_key sn_octant_key(int body, sn_octant octant)
{
    return sn_key_of(body, octant.anchor[0], octant.anchor[1], octant.anchor[2]) | octant.copy;
}

static inline sn_octant sn_octant_at(sn_key key, int height)
{
    uint32_t xyz[3];
    sn_key_anchor(key, xyz);
    return (sn_octant){.anchor = {(uint16_t)xyz[0], (uint16_t)xyz[1], (uint16_t)xyz[2]},
                       .height = (uint16_t)(height & 31),
                       .copy = (uint16_t)(sn_key_copy(key) & (SN_MOST_COPIES - 1))};
}

/* How many keys an octant of this height covers. */
static inline sn_key sn_key_span(int height)
{
    return UINT64_C(1) << (3 * height + SN_COPY_BITS);
}

/* How many finest cells that are. */
static inline double sn_cells_in(int height)
{
    return (double)(UINT64_C(1) << (3 * height));
}

/* The place of the octant of this height that contains the octant at `key`. */
static inline sn_key sn_key_ancestor(sn_key key, int height)
{
    return key & ~(sn_key_span(height) - 1);
}

/* Which child of its parent an octant of this height is. */
static inline int sn_key_child(sn_key key, int height)
{
    return (int)(key >> (3 * height + SN_COPY_BITS)) & 7;
}

static inline uint32_t sn_edge(int height)
{
    return UINT32_C(1) << height;
}

/* The 3x3x3 octants of one size around an octant and itself, x fastest:
 *
 *      6---7---8
 *      |   |   |     (the lowest of the three layers is 0 to 8,
 *      3---4---5      the octant's own is 9 to 17)
 *      |   |   |
 *      0---1---2    */
enum { SN_NEIGHBOURS = 27, SN_NEIGHBOUR_SELF = 13 };

/* The key of a neighbour of the octant at `xyz`; false if it lies outside the root cube. */
static inline bool sn_neighbour_key(int body, const uint32_t xyz[3], uint32_t edge,
                                    uint32_t root_edge, int neighbour, sn_key *key)
{
    uint32_t x = xyz[0] + edge * (uint32_t)(neighbour % 3) - edge;
    uint32_t y = xyz[1] + edge * (uint32_t)(neighbour / 3 % 3) - edge;
    uint32_t z = xyz[2] + edge * (uint32_t)(neighbour / 9) - edge;
    if (x >= root_edge || y >= root_edge || z >= root_edge) /* below zero wraps to huge */
        return false;
    *key = sn_key_of(body, x, y, z);
    return true;
}

/* Chan's test: does a's highest differing bit lie below b's? */
static inline bool sn_highest_bit_below(uint32_t a, uint32_t b)
{
    return a < b && a < (a ^ b);
}

/* Order along the curve within a body, then by copy; compares without interleaving
 * (Chan 2002): the dimension whose coordinates differ in the highest bit decides, z
 * before y before x. */
static inline bool sn_octant_before(sn_octant a, sn_octant b)
{
    int decisive = 2;
    uint32_t highest = (uint32_t)(a.anchor[2] ^ b.anchor[2]);
    for (int d = 1; d >= 0; d--) {
        uint32_t difference = (uint32_t)(a.anchor[d] ^ b.anchor[d]);
        if (sn_highest_bit_below(highest, difference)) {
            highest = difference;
            decisive = d;
        }
    }
    if (highest == 0)
        return a.copy < b.copy;
    return a.anchor[decisive] < b.anchor[decisive];
}

#endif
