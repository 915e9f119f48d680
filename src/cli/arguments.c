#include "cli/arguments.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool sn_asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

sn_status sn_overrides_take(const char *command, const char *text, sn_overrides *o)
{
    if (!text)
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: -P needs a key and a value, as in -P partition.method=parmetis",
                       command);
    sn_overrides_add(o, "%s", text);
    return SN_OK;
}

void sn_overrides_add(sn_overrides *o, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t bytes = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    char *text = SN_NEW(char, bytes);
    vsnprintf(text, bytes, format, again);
    va_end(again);
    va_end(arguments);
    sn_push(&o->list, text);
}

void sn_overrides_free(sn_overrides *o)
{
    for (size_t i = 0; i < o->list.count; i++)
        sn_free((void *)o->list.data[i]);
    sn_vector_free(&o->list);
}

sn_status sn_overrides_read_scene(MPI_Comm comm, const char *path, const sn_overrides *o,
                                  sn_scene *scene)
{
    return sn_scene_read(comm, path, o->list.data, (int)o->list.count, scene);
}
