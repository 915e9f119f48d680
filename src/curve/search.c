#include "curve/search.h"

#include "base/array.h"

enum { RUN = 16 };

sn_search sn_search_create(const sn_key *keys, size_t n)
{
    sn_search search = {.keys = keys, .n = n};
    const sn_key *below = keys;
    size_t count = n;
    while (count > RUN && search.levels < SN_SEARCH_LEVELS) {
        size_t sampled = (count + RUN - 1) / RUN;
        sn_key *sample = SN_NEW(sn_key, sampled);
        for (size_t i = 0; i < sampled; i++)
            sample[i] = below[i * RUN];
        search.sample[search.levels] = sample;
        search.samples[search.levels++] = sampled;
        below = sample;
        count = sampled;
    }
    return search;
}

void sn_search_free(sn_search *search)
{
    for (int l = 0; l < search->levels; l++)
        sn_free(search->sample[l]);
    *search = (sn_search){0};
}

/* How many of the run's keys are less than `key`; without branches. */
static inline size_t count_less(const sn_key *run, size_t length, sn_key key)
{
    size_t less = 0;
    if (length == RUN) {
        for (size_t i = 0; i < RUN; i++)
            less += run[i] < key;
    } else {
        for (size_t i = 0; i < length; i++)
            less += run[i] < key;
    }
    return less;
}

static inline size_t run_length(size_t start, size_t n)
{
    return n - start < RUN ? n - start : RUN;
}

size_t sn_search_lower_bound(const sn_search *search, sn_key key)
{
    /* A run starts with its own sample. The last run whose sample is less than the key holds
     * the last smaller key, so the answer lies in it or right after its end. */
    size_t start = 0;
    for (int l = search->levels - 1; l >= 0; l--) {
        size_t length =
            l == search->levels - 1 ? search->samples[l] : run_length(start, search->samples[l]);
        size_t less = count_less(search->sample[l] + start, length, key);
        if (less == 0)
            return 0; /* the very first key is not less: only possible at start 0 */
        start = (start + less - 1) * RUN;
    }
    size_t length = search->levels ? run_length(start, search->n) : search->n;
    return start + count_less(search->keys + start, length, key);
}
