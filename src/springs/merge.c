/* Springs of a coarse level that lie close together become one. */
#include "base/sort.h"
#include "springs/set.h"

/* Where both ends are: springs with the same are merged. */
typedef struct {
    sn_key element[2];
    uint64_t eighths;
    size_t record;
} site;

static site site_of(const sn_bodies *bodies, const sn_spring_record *r, size_t record)
{
    site s = {.record = record};
    for (int end = 0; end < 2; end++) {
        const sn_flesh_point *p = &r->spring.point[end];
        if (p->body < 0)
            continue;
        s.element[end] = r->host[end].key;
        s.eighths |= (uint64_t)sn_host_element_eighth(&r->host[end], bodies, p->at) << (8 * end);
    }
    if (r->spring.point[1].body < 0)
        s.eighths |= UINT64_C(1) << 16;
    return s;
}

/* Sorts by the member at an offset, and keeps the order of equal ones. */
static void sort_sites(site *sites, size_t n, size_t offset)
{
    uint64_t *key = SN_NEW(uint64_t, n);
    uint32_t *order = SN_NEW(uint32_t, n);
    site *sorted = SN_NEW(site, n);
    for (size_t i = 0; i < n; i++)
        key[i] = *(const uint64_t *)((const char *)&sites[i] + offset);
    sn_sort_keys_with_order(key, order, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = sites[order[i]];
    for (size_t i = 0; i < n; i++)
        sites[i] = sorted[i];
    sn_free(key);
    sn_free(order);
    sn_free(sorted);
}

static bool same_site(const site *a, const site *b)
{
    return a->element[0] == b->element[0] && a->element[1] == b->element[1] &&
           a->eighths == b->eighths;
}

/* A run of springs, by number. */
static sn_spring_record merged(const sn_spring_records *records, const site *sites, size_t n)
{
    sn_spring_record sum = records->data[sites[0].record];
    if (n == 1)
        return sum;
    double place[2][3] = {0}, all = 0;
    sum.matrix = (sn_spring_matrix){0};
    for (size_t i = 0; i < n; i++) {
        const sn_spring_record *r = &records->data[sites[i].record];
        double stiffness = r->matrix.m[0] + r->matrix.m[3] + r->matrix.m[5];
        all += stiffness;
        for (int end = 0; end < 2; end++)
            for (int d = 0; d < 3; d++)
                place[end][d] += stiffness * r->spring.point[end].at[d];
        for (int k = 0; k < 6; k++)
            sum.matrix.m[k] += r->matrix.m[k];
    }
    for (int end = 0; end < 2; end++)
        for (int d = 0; d < 3; d++)
            sum.spring.point[end].at[d] = place[end][d] / all;
    return sum;
}

void sn_springs_merge(const sn_bodies *bodies, sn_spring_records *records)
{
    size_t n = records->count;
    site *sites = SN_NEW(site, n);
    for (size_t i = 0; i < n; i++) /* records come by number */
        sites[i] = site_of(bodies, &records->data[i], i);
    sort_sites(sites, n, offsetof(site, eighths));
    sort_sites(sites, n, offsetof(site, element) + sizeof(sn_key));
    sort_sites(sites, n, offsetof(site, element));
    sn_spring_records kept = {0};
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && same_site(&sites[first], &sites[end]);)
            end++;
        sn_push(&kept, merged(records, sites + first, end - first));
    }
    sn_free(sites);
    sn_vector_free(records);
    *records = kept;
}
