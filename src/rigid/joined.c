#include "rigid/joined.h"

#include "base/array.h"
#include "base/sort.h"
#include "partition/records.h"

#include <string.h>

/* Stable sorts by one key after another, the last one first. */
static void sort_bonds(sn_link *j, size_t n)
{
    for (int turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < n; i++)
            j[i] = (sn_link){j[i].b, j[i].container, j[i].a};
        sn_sort_records(j, sizeof *j, n);
    }
}

static bool same_bond(const sn_link *x, const sn_link *y)
{
    return memcmp(x, y, sizeof *x) == 0;
}

size_t sn_links_unique(sn_link *j, size_t n)
{
    sort_bonds(j, n);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || !same_bond(&j[kept - 1], &j[i]))
            j[kept++] = j[i];
    return kept;
}

/* ---- Where a container is owned. ---- */

/* Members of containers, ascending, as bonds with themselves, and which they are joined to. */
typedef struct {
    sn_link *member;
    size_t n;
    size_t *joined_to; /* itself, or an earlier one of its component */
} forest;

static bool is_before(const sn_link *x, sn_key container, sn_key a)
{
    return x->container < container || (x->container == container && x->a < a);
}

static size_t find_member(const forest *f, sn_key container, sn_key a)
{
    size_t low = 0, end = f->n;
    while (low < end) {
        size_t middle = low + (end - low) / 2;
        if (is_before(&f->member[middle], container, a))
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

/* The smallest known member of a component, and the way there becomes shorter. */
static size_t root_of(forest *f, size_t m)
{
    while (f->joined_to[m] != m)
        m = f->joined_to[m] = f->joined_to[f->joined_to[m]];
    return m;
}

static void join(forest *f, const sn_link *j)
{
    size_t a = root_of(f, find_member(f, j->container, j->a));
    size_t b = root_of(f, find_member(f, j->container, j->b));
    f->joined_to[a > b ? a : b] = a > b ? b : a;
}

/* Every member of a bond is asked for by somebody: the owner of one of its nodes. */
static forest members_of(const sn_link *asked, size_t n)
{
    forest f = {.member = SN_NEW(sn_link, n), .joined_to = SN_NEW(size_t, n)};
    if (n)
        memcpy(f.member, asked, n * sizeof *asked);
    f.n = sn_links_unique(f.member, n);
    for (size_t m = 0; m < f.n; m++)
        f.joined_to[m] = m;
    return f;
}

/* Bonds that have arrived, for the answers. */
typedef struct {
    const sn_link *bond;
    size_t n;
} known_bonds;

static void answer(void *context, const void *records, size_t n, void *replies)
{
    const known_bonds *known = context;
    const sn_link *asked = records;
    sn_key *component = replies;
    forest f = members_of(asked, n);
    for (size_t i = 0; i < known->n; i++)
        join(&f, &known->bond[i]);
    for (size_t i = 0; i < n; i++)
        component[i] = f.member[root_of(&f, find_member(&f, asked[i].container, asked[i].a))].a;
    sn_free(f.member);
    sn_free(f.joined_to);
}

static int *owners_of(const sn_owners *owners, const sn_link *j, size_t n)
{
    int *owner = SN_NEW(int, n);
    for (size_t i = 0; i < n; i++)
        owner[i] = sn_owner_of(owners, j[i].container);
    return owner;
}

void sn_joined_find(MPI_Comm comm, const sn_owners *owners, const sn_link *bonds, size_t n_bonds,
                    const sn_link *member, size_t n_members, sn_key *component)
{
    int *to = owners_of(owners, bonds, n_bonds);
    sn_inbox in = sn_records_send(comm, sizeof *bonds, bonds, to, n_bonds);
    sn_free(to);
    known_bonds known = {in.data, in.n};
    sn_question question = {sizeof *member, sizeof *component, answer, &known};
    to = owners_of(owners, member, n_members);
    sn_records_ask(comm, &question, member, to, n_members, component);
    sn_free(to);
    sn_inbox_free(&in);
}
