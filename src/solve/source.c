#include "solve/source.h"

#include <assert.h>

int sn_sources_add(sn_sources *s, sn_source source)
{
    assert(s->n < SN_SPRING_SLOTS);
    s->source[s->n] = source;
    return s->n++;
}

sn_status sn_sources_begin(const sn_sources *s, double time, double *x)
{
    for (int i = 0; i < s->n; i++)
        if (s->source[i].begin)
            SN_TRY(s->source[i].begin(s->source[i].context, time, x));
    return SN_OK;
}

bool sn_sources_can_find(const sn_sources *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->source[i].find)
            return true;
    return false;
}

/* The springs of one source at x, in the place of those before. */
static sn_status find(const sn_source *source, sn_system *system, int slot, double time,
                      const double *x)
{
    sn_spring_list found = {0};
    sn_status status = source->find(source->context, time, x, &found);
    if (status == SN_OK)
        status = sn_system_take_springs(system, slot, &found);
    sn_vector_free(&found);
    return status;
}

sn_status sn_sources_find(const sn_sources *s, sn_system *system, double time, double *x)
{
    bool filled = false;
    for (int i = 0; i < s->n; i++) {
        if (!s->source[i].find)
            continue;
        if (!filled)
            sn_field_fill_ghosts(system->tree, x);
        filled = true;
        SN_TRY(find(&s->source[i], system, i, time, x));
    }
    return SN_OK;
}

sn_status sn_sources_check_way(const sn_sources *s, sn_octree *tree, double *from, double *x,
                               bool *passed)
{
    bool filled = false;
    *passed = false;
    for (int i = 0; i < s->n && !*passed; i++) {
        if (!s->source[i].check_way)
            continue;
        if (!filled) {
            sn_field_fill_ghosts(tree, from);
            sn_field_fill_ghosts(tree, x);
        }
        filled = true;
        SN_TRY(s->source[i].check_way(s->source[i].context, from, x, passed));
    }
    return SN_OK;
}

sn_status sn_sources_commit(const sn_sources *s, sn_octree *tree, double time, double *x)
{
    bool filled = false;
    for (int i = 0; i < s->n; i++) {
        if (!s->source[i].commit)
            continue;
        if (!filled)
            sn_field_fill_ghosts(tree, x);
        filled = true;
        SN_TRY(s->source[i].commit(s->source[i].context, time, x));
    }
    return SN_OK;
}

void sn_sources_reset(const sn_sources *s, double time)
{
    for (int i = 0; i < s->n; i++)
        if (s->source[i].reset)
            s->source[i].reset(s->source[i].context, time);
}
