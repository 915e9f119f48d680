#include "octree/balance.h"

#include "base/sort.h"
#include "partition/records.h"

#include <string.h>

void sn_families_free(sn_families *families)
{
    for (int h = 0; h < SN_MAX_HEIGHTS; h++)
        sn_vector_free(&families->at[h]);
}

static void join(sn_family *into, const sn_family *other)
{
    into->internal |= other->internal;
    into->present |= other->present;
    into->required |= other->required;
}

static void append(sn_family_list *list, const sn_family *family)
{
    if (list->count > 0 && list->data[list->count - 1].key == family->key)
        join(&list->data[list->count - 1], family);
    else
        sn_push(list, *family);
}

void sn_families_add(sn_families *families, int height, sn_family family)
{
    append(&families->at[height], &family);
}

/* For each set of children, which of the 3x3x3 octants around their parent touch one of them:
 * those are the parents of the children's neighbours. */
static void neighbours_of_children(uint32_t touched[256])
{
    uint32_t around[8];
    for (int child = 0; child < 8; child++) {
        around[child] = 0;
        for (int corner = 0; corner < 8; corner++) {
            int offset[3];
            for (int d = 0; d < 3; d++) {
                int side = child >> d & 1 ? 1 : -1;
                offset[d] = corner >> d & 1 ? side : 0;
            }
            around[child] |= UINT32_C(1)
                             << (SN_NEIGHBOUR_SELF + offset[0] + 3 * offset[1] + 9 * offset[2]);
        }
    }
    for (int set = 0; set < 256; set++) {
        touched[set] = 0;
        for (int child = 0; child < 8; child++)
            if (set >> child & 1)
                touched[set] |= around[child];
    }
}

typedef SN_VECTOR(sn_key) key_list;

static void add_neighbours(key_list *out, sn_key key, int height, uint32_t root_edge,
                           uint32_t touched)
{
    uint32_t xyz[3], edge = sn_edge(height);
    sn_key_anchor(key, xyz);
    for (touched &= ~(UINT32_C(1) << SN_NEIGHBOUR_SELF); touched; touched &= touched - 1) {
        sn_key neighbour;
        if (sn_neighbour_key(sn_key_body(key), xyz, edge, root_edge, __builtin_ctz(touched),
                             &neighbour))
            sn_push(out, neighbour);
    }
}

/* What the families of one height ask of the next: their parents with the right bits, and the
 * keys of the families around those that balance requires. */
static void rise(const sn_family_list *families, int height, const sn_bodies *bodies,
                 const uint32_t touched[256], sn_family_list *parents, key_list *neighbours)
{
    for (size_t i = 0; i < families->count; i++) {
        const sn_family *f = &families->data[i];
        if (height >= sn_body_top(&bodies->body[sn_key_body(f->key)]))
            continue;
        uint8_t child = (uint8_t)(1 << sn_key_child(f->key, height));
        sn_family parent = {.key = sn_key_ancestor(f->key, height + 1),
                            .internal = f->required ? child : 0,
                            .present = f->present || f->internal ? child : 0,
                            .required = 1};
        append(parents, &parent);
    }
    for (size_t i = 0; i < parents->count; i++) {
        const sn_family *p = &parents->data[i];
        const sn_body *body = &bodies->body[sn_key_body(p->key)];
        if (height + 1 <= body->root_height)
            add_neighbours(neighbours, p->key, height + 1, sn_edge(body->root_height),
                           touched[p->internal]);
    }
    neighbours->count = sn_sort_unique_keys(neighbours->data, neighbours->count);
}

/* Merges ascending lists, joining equal keys; both are taken over. */
static sn_family_list merge(sn_family_list a, sn_family_list b)
{
    if (a.count == 0 || b.count == 0) {
        sn_family_list empty = a.count == 0 ? a : b, full = a.count == 0 ? b : a;
        sn_vector_free(&empty);
        return full;
    }
    sn_family_list both = {0};
    sn_reserve(&both, a.count + b.count);
    size_t i = 0, j = 0;
    while (i < a.count || j < b.count) {
        bool from_a = j == b.count || (i < a.count && a.data[i].key < b.data[j].key);
        append(&both, from_a ? &a.data[i++] : &b.data[j++]);
    }
    sn_vector_free(&a);
    sn_vector_free(&b);
    return both;
}

static sn_family_list required_families(key_list *keys)
{
    sn_family_list list = {0};
    sn_reserve(&list, keys->count);
    for (size_t i = 0; i < keys->count; i++)
        list.data[i] = (sn_family){.key = keys->data[i], .required = 1};
    list.count = keys->count;
    sn_vector_free(keys);
    return list;
}

static sn_family_list sorted_families(sn_family *arrived, size_t n)
{
    sn_family_list list = {0};
    sn_sort_records(arrived, sizeof *arrived, n);
    for (size_t i = 0; i < n; i++)
        append(&list, &arrived[i]);
    return list;
}

/* Collective: families whose key another rank owns go there. */
static sn_family_list to_owners(MPI_Comm comm, const sn_owners *owners, sn_family_list list)
{
    int me, size;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    if (size == 1)
        return list;
    sn_family_list away = {0};
    SN_VECTOR(int) destination = {0};
    size_t kept = 0;
    for (size_t i = 0; i < list.count; i++) {
        int owner = sn_owner_of(owners, list.data[i].key);
        if (owner == me) {
            list.data[kept++] = list.data[i];
        } else {
            sn_push(&away, list.data[i]);
            sn_push(&destination, owner);
        }
    }
    list.count = kept;
    sn_inbox in = sn_records_send(comm, sizeof(sn_family), away.data, destination.data, away.count);
    sn_vector_free(&away);
    sn_vector_free(&destination);
    sn_family_list arrived = sorted_families(in.data, in.n);
    sn_inbox_free(&in);
    return merge(list, arrived);
}

void sn_balance(MPI_Comm comm, const sn_owners *owners, const sn_bodies *bodies,
                sn_families *families)
{
    uint32_t touched[256];
    neighbours_of_children(touched);
    int top = 0;
    for (int b = 0; b < bodies->n; b++)
        top = sn_body_top(&bodies->body[b]) > top ? sn_body_top(&bodies->body[b]) : top;
    families->at[1] = to_owners(comm, owners, families->at[1]);
    for (int height = 1; height < top; height++) {
        sn_family_list parents = {0};
        key_list neighbours = {0};
        rise(&families->at[height], height, bodies, touched, &parents, &neighbours);
        sn_family_list asked = merge(parents, required_families(&neighbours));
        asked = merge(asked, families->at[height + 1]);
        families->at[height + 1] = to_owners(comm, owners, asked);
    }
}

static void push_cut_down(sn_leaves *list, sn_key key, int height, int largest)
{
    for (sn_key k = key; k < key + sn_key_span(height); k += sn_key_span(largest))
        sn_leaves_push(list, k, largest);
}

static sn_leaves leaves_below(const sn_family_list *families, int height, const uint8_t *largest)
{
    sn_leaves list = {0};
    for (size_t i = 0; i < families->count; i++) {
        const sn_family *f = &families->data[i];
        if (!f->required)
            continue;
        int limit = largest ? largest[sn_key_body(f->key)] : SN_MAX_ROOT_HEIGHT;
        for (int leaf = f->present & ~f->internal; leaf; leaf &= leaf - 1) {
            sn_key key = f->key + (sn_key)__builtin_ctz((unsigned)leaf) * sn_key_span(height - 1);
            if (height - 1 > limit)
                push_cut_down(&list, key, height - 1, limit);
            else
                sn_leaves_push(&list, key, height - 1);
        }
    }
    return list;
}

sn_leaves sn_families_leaves(const sn_families *families, const uint8_t *largest_height)
{
    /* From the few large ones to the many small ones: the long list is merged once. */
    sn_leaves all = {0};
    for (int height = SN_MAX_HEIGHTS - 1; height >= 1; height--)
        all = sn_leaves_merge(all, leaves_below(&families->at[height], height, largest_height));
    return all;
}
