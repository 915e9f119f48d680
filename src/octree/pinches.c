#include "octree/pinches.h"

#include "base/sort.h"

#include <string.h>

enum { SIDE_BITS = 3, SIDE = 1 << SIDE_BITS, HALO = SIDE + 2, PATTERNS = 256 };

/* Bit x of row y + SIDE * z is the cell there. */
typedef struct {
    uint8_t taken[SIDE * SIDE];   /* by a leaf that is no larger than a block */
    uint8_t smaller[SIDE * SIDE]; /* by a block of smaller ones */
} block;

/* Blocks whose cells have a height, another one for each body. */
typedef struct {
    const sn_bonds *bonds;
    const sn_bodies *bodies;
    int *height; /* of each body's cells */
    size_t n;
    sn_key *key; /* of each block's first cell: ascending */
    block *block;
    sn_search search;
    bool is_pinch[PATTERNS];
} blocks;

/* ---- Patterns of eight cells ---- */

static bool is_connected(int pattern)
{
    int reached = pattern & -pattern, before = 0;
    while (reached != before) {
        before = reached;
        int along_x = (reached & 0x55) << 1 | (reached & 0xaa) >> 1;
        int along_y = (reached & 0x33) << 2 | (reached & 0xcc) >> 2;
        int along_z = (reached & 0x0f) << 4 | (reached & 0xf0) >> 4;
        reached |= (along_x | along_y | along_z) & pattern;
    }
    return reached == pattern;
}

/* ---- From leaves to bits ---- */

/* One block may be all that a body has. */
static int block_height(const blocks *b, sn_key key)
{
    int height = b->height[sn_key_body(key)] + SIDE_BITS;
    return height < SN_MAX_ROOT_HEIGHT ? height : SN_MAX_ROOT_HEIGHT;
}

static bool has_bits(const blocks *b, size_t leaf)
{
    sn_key key = b->bonds->around.key[leaf];
    int body = sn_key_body(key), height = b->bonds->around.height[leaf];
    return !b->bodies->body[body].welded && height >= b->height[body] &&
           height < b->height[body] + SIDE_BITS;
}

/* The cells of a cube of this height, in the rows of its block. */
static void set_bits(const blocks *b, sn_key cube, int height, uint8_t *row)
{
    uint32_t at[3];
    int unit = b->height[sn_key_body(cube)];
    uint32_t edge = sn_edge(height - unit);
    sn_key_anchor(cube, at);
    for (int d = 0; d < 3; d++)
        at[d] = at[d] >> unit & (SIDE - 1);
    uint8_t bits = (uint8_t)(((1u << edge) - 1) << at[0]);
    for (uint32_t z = at[2]; z < at[2] + edge; z++)
        for (uint32_t y = at[1]; y < at[1] + edge; y++)
            row[y + SIDE * z] |= bits;
}

static void list_block(const blocks *b, sn_key cube, sn_place_list *keys)
{
    sn_key key = sn_key_ancestor(cube, block_height(b, cube));
    if (keys->count == 0 || keys->data[keys->count - 1] != key)
        sn_push(keys, key);
}

/* The next larger blocks, of leaves and of the smaller blocks that are in them. */
static void make_blocks(blocks *b, const sn_place_list *smaller)
{
    sn_place_list keys = {0};
    const sn_leaves *leaves = &b->bonds->around;
    for (size_t i = 0; i < leaves->n; i++)
        if (has_bits(b, i))
            list_block(b, leaves->key[i], &keys);
    for (size_t i = 0; i < smaller->count; i++)
        list_block(b, smaller->data[i], &keys);
    b->n = sn_sort_unique_keys(keys.data, keys.count);
    b->key = keys.data;
    b->block = SN_NEW_ZERO(block, b->n);
    b->search = sn_search_create(b->key, b->n);
    size_t at = 0;
    for (size_t i = 0; i < leaves->n; i++)
        if (has_bits(b, i)) {
            while (b->key[at] != sn_key_ancestor(leaves->key[i], block_height(b, leaves->key[i])))
                at++;
            set_bits(b, leaves->key[i], leaves->height[i], b->block[at].taken);
        }
    for (size_t i = 0; i < smaller->count; i++) {
        sn_key key = smaller->data[i];
        sn_local of = sn_search_find(&b->search, sn_key_ancestor(key, block_height(b, key)));
        set_bits(b, key, b->height[sn_key_body(key)], b->block[of].smaller);
    }
}

/* ---- From bits to pinches ---- */

/* With a cell more on each side: bit x + 1 of row (y + 1, z + 1). */
typedef struct {
    uint16_t taken[HALO][HALO], smaller[HALO][HALO];
} surroundings;

static const block *block_at(const blocks *b, const uint32_t at[3], int body, int neighbour)
{
    static const block empty;
    static const block full = {.taken = {[0 ... SIDE * SIDE - 1] = 0xff}};
    sn_key key;
    int height = b->height[body] + SIDE_BITS;
    if (!sn_neighbour_key(body, at, sn_edge(height), sn_edge(b->bodies->body[body].root_height),
                          neighbour, &key))
        return &empty;
    sn_local found = sn_search_find(&b->search, key);
    if (found != SN_NONE)
        return &b->block[found];
    sn_local leaf = sn_bonds_leaf_at(b->bonds, key);
    return leaf != SN_NONE && b->bonds->around.height[leaf] >= height ? &full : &empty;
}

static int side_of(int at)
{
    return at < 0 ? 0 : at < SIDE ? 1 : 2;
}

static uint16_t row_of(const uint8_t *low, const uint8_t *middle, const uint8_t *high, int row)
{
    return (uint16_t)(low[row] >> (SIDE - 1) | middle[row] << 1 | (high[row] & 1) << (SIDE + 1));
}

static void look_around(const blocks *b, size_t number, surroundings *s)
{
    const block *around[SN_NEIGHBOURS];
    uint32_t at[3];
    sn_key_anchor(b->key[number], at);
    for (int i = 0; i < SN_NEIGHBOURS; i++)
        around[i] = i == SN_NEIGHBOUR_SELF ? &b->block[number]
                                           : block_at(b, at, sn_key_body(b->key[number]), i);
    for (int z = -1; z <= SIDE; z++)
        for (int y = -1; y <= SIDE; y++) {
            const block *const *line = &around[3 * side_of(y) + 9 * side_of(z)];
            int row = (y & (SIDE - 1)) + SIDE * (z & (SIDE - 1));
            s->taken[z + 1][y + 1] = row_of(line[0]->taken, line[1]->taken, line[2]->taken, row);
            s->smaller[z + 1][y + 1] =
                row_of(line[0]->smaller, line[1]->smaller, line[2]->smaller, row);
        }
}

/* The pattern of the eight cells at corner x of a row of corners. */
static int pattern_at(uint16_t rows[HALO][HALO], int x, int y, int z)
{
    return (rows[z][y] >> x & 3) | (rows[z][y + 1] >> x & 3) << 2 | (rows[z + 1][y] >> x & 3) << 4 |
           (rows[z + 1][y + 1] >> x & 3) << 6;
}

static bool are_alike(uint16_t rows[HALO][HALO], int y, int z)
{
    return rows[z][y] == rows[z][y + 1] && rows[z][y] == rows[z + 1][y] &&
           rows[z][y] == rows[z + 1][y + 1];
}

static void add_pinches(const blocks *b, size_t number, sn_place_list *places)
{
    surroundings s;
    uint32_t at[3];
    int body = sn_key_body(b->key[number]), unit = b->height[body];
    sn_key_anchor(b->key[number], at);
    look_around(b, number, &s);
    for (int row = 0; row < (SIDE + 1) * (SIDE + 1); row++) {
        int y = row % (SIDE + 1), z = row / (SIDE + 1);
        for (int x = 0; x <= SIDE && !are_alike(s.taken, y, z); x++)
            if (b->is_pinch[pattern_at(s.taken, x, y, z)] && !pattern_at(s.smaller, x, y, z))
                sn_push(places,
                        sn_key_of(body, at[0] + ((uint32_t)x << unit),
                                  at[1] + ((uint32_t)y << unit), at[2] + ((uint32_t)z << unit)));
    }
}

static void add_all(sn_place_list *to, sn_place_list *from)
{
    for (size_t i = 0; i < from->count; i++)
        sn_push(to, from->data[i]);
    sn_vector_free(from);
}

static void look_at_blocks(const blocks *b, sn_place_list *places)
{
#pragma omp parallel
    {
        sn_place_list mine = {0};
#pragma omp for schedule(dynamic, 64)
        for (size_t i = 0; i < b->n; i++)
            add_pinches(b, i, &mine);
#pragma omp critical
        add_all(places, &mine);
    }
}

/* ---- One size after another ---- */

/* Of each body its smallest leaves' height; returns the largest of all leaves. */
static int start(blocks *b)
{
    int largest = 0;
    const sn_leaves *leaves = &b->bonds->around;
    b->height = SN_NEW(int, b->bodies->n);
    for (int i = 0; i < b->bodies->n; i++)
        b->height[i] = SN_MAX_ROOT_HEIGHT;
    for (size_t i = 0; i < leaves->n; i++) {
        int *least = &b->height[sn_key_body(leaves->key[i])], height = leaves->height[i];
        *least = height < *least ? height : *least;
        largest = height > largest ? height : largest;
    }
    for (int i = 0; i < PATTERNS; i++)
        b->is_pinch[i] = !is_connected(i);
    return largest;
}

static bool grow(blocks *b, int largest)
{
    bool more = false;
    for (int i = 0; i < b->bodies->n; i++) {
        b->height[i] += SIDE_BITS;
        more = more || b->height[i] <= largest;
    }
    return more;
}

void sn_pinches_find(const sn_bonds *bonds, const sn_bodies *bodies, sn_place_list *places)
{
    blocks b = {.bonds = bonds, .bodies = bodies};
    int largest = start(&b);
    sn_place_list smaller = {0};
    bool more = true;
    while (more) {
        make_blocks(&b, &smaller);
        look_at_blocks(&b, places);
        sn_search_free(&b.search);
        sn_free(b.block);
        sn_vector_free(&smaller);
        smaller.data = b.key;
        smaller.count = smaller.capacity = b.n;
        more = grow(&b, largest);
    }
    sn_vector_free(&smaller);
    sn_free(b.height);
}
