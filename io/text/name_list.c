#include "io/text/name_list.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void sn_name_list_add(sn_name_list *list, const char *name)
{
    static const char more[] = ", ...";
    size_t used = strlen(list->text), needed = used + strlen(name) + 2;
    bool full = used >= sizeof more && strcmp(list->text + used - (sizeof more - 1), more) == 0;
    if (full)
        return;
    if (needed + sizeof more > sizeof list->text)
        snprintf(list->text + used, sizeof list->text - used, "%s", used ? more : "...");
    else
        snprintf(list->text + used, sizeof list->text - used, "%s%s", used ? ", " : "", name);
}
