/* Lists of texts, with what goes with each: how they are stored, written and compared. */
#include "io/schema/schema.h"

#include <string.h>

static const sn_pairs *pairs_of(const void *member)
{
    return member;
}

bool sn_is_pairs(const sn_schema_key *key)
{
    return key->type == SN_TYPE_TEXTS || key->type == SN_TYPE_PAIRS || key->type == SN_TYPE_RULES;
}

void sn_pairs_add(void *member, const char *key, const char *text, double number)
{
    sn_pairs *pairs = member;
    sn_pair pair = {sn_copy_text(key), text ? sn_copy_text(text) : NULL, number};
    sn_push(pairs, pair);
}

void sn_pairs_free(void *member)
{
    sn_pairs *pairs = member;
    for (size_t i = 0; i < pairs->count; i++) {
        sn_free(pairs->data[i].key);
        sn_free(pairs->data[i].text);
    }
    sn_vector_free(pairs);
}

bool sn_pairs_differ(const void *a, const void *b)
{
    const sn_pairs *one = pairs_of(a), *other = pairs_of(b);
    if (one->count != other->count)
        return true;
    for (size_t i = 0; i < one->count; i++) {
        const sn_pair *x = &one->data[i], *y = &other->data[i];
        if (strcmp(x->key, y->key) != 0 || !x->text != !y->text || x->number != y->number ||
            (x->text && strcmp(x->text, y->text) != 0))
            return true;
    }
    return false;
}

/* One number for all is written as it was read. */
void sn_pairs_write(const sn_schema_key *key, const void *member, FILE *out)
{
    const sn_pairs *pairs = pairs_of(member);
    bool rules = key->type == SN_TYPE_RULES, texts = key->type == SN_TYPE_TEXTS;
    if (rules && pairs->count == 1 && strcmp(pairs->data[0].key, "*") == 0) {
        sn_write_real(pairs->data[0].number, out);
        return;
    }
    fputc(texts ? '[' : '{', out);
    for (size_t i = 0; i < pairs->count; i++) {
        fputs(i ? ", " : "", out);
        sn_write_text(pairs->data[i].key, out);
        fputs(texts ? "" : ": ", out);
        if (rules)
            sn_write_real(pairs->data[i].number, out);
        else if (!texts)
            sn_write_text(pairs->data[i].text, out);
    }
    fputc(texts ? ']' : '}', out);
}
