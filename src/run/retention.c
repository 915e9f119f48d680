#include "run/retention.h"

#include <stdio.h>
#include <string.h>

sn_checkpoint_file sn_checkpoint_file_of(const sn_checkpoint_name *name)
{
    sn_checkpoint_file file;
    if (name->whole)
        snprintf(file.text, sizeof file.text, "checkpoint_%04d.h5", name->frame);
    else
        snprintf(file.text, sizeof file.text, "checkpoint_%04d_s%02d.h5", name->frame,
                 name->substeps);
    return file;
}

/* Only what would be written the same. */
bool sn_checkpoint_name_read(const char *file, sn_checkpoint_name *name)
{
    *name = (sn_checkpoint_name){0};
    int fields = sscanf(file, "checkpoint_%d_s%d", &name->frame, &name->substeps);
    if (fields < 1)
        return false;
    name->whole = fields == 1;
    return strcmp(file, sn_checkpoint_file_of(name).text) == 0;
}

int sn_checkpoint_newest_first(const void *a, const void *b)
{
    const sn_checkpoint_name *x = a, *y = b;
    if (x->frame != y->frame)
        return x->frame < y->frame ? 1 : -1;
    if (x->whole != y->whole)
        return x->whole ? -1 : 1;
    return (x->substeps < y->substeps) - (x->substeps > y->substeps);
}

bool sn_checkpoint_is_due(int frame, int every)
{
    return every > 0 && frame % every == 0;
}

void sn_checkpoints_to_remove(sn_checkpoint_list *list, const sn_checkpoint_name *written, int keep)
{
    size_t removed = 0;
    int kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool newer = sn_checkpoint_newest_first(&list->data[i], written) < 0;
        if (newer || kept++ >= keep)
            list->data[removed++] = list->data[i];
    }
    list->count = removed;
}
