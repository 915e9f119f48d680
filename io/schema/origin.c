#include "io/schema/origin.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_SHOWN_PATH = 300 };

char *sn_copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(SN_NEW(char, bytes), text, bytes);
}

sn_path sn_key_path(const char *format, ...)
{
    sn_path path;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path.text, sizeof path.text, format, arguments);
    va_end(arguments);
    return path;
}

void sn_origin_free(sn_origin *origin)
{
    for (size_t i = 0; i < origin->overrides.count; i++) {
        sn_free(origin->overrides.data[i].text);
        sn_free(origin->overrides.data[i].path);
    }
    for (size_t i = 0; i < origin->written.count; i++)
        sn_free(origin->written.data[i].path);
    sn_vector_free(&origin->overrides);
    sn_vector_free(&origin->written);
    sn_free(origin->file);
    origin->file = NULL;
}

void sn_origin_note(sn_origin *origin, const char *path, sn_text_place place)
{
    sn_push(&origin->written, ((sn_written){sn_copy_text(path), place}));
}

static const sn_written *find_written(const sn_origin *origin, const char *path)
{
    for (size_t i = 0; i < origin->written.count; i++)
        if (strcmp(origin->written.data[i].path, path) == 0)
            return &origin->written.data[i];
    return NULL;
}

/* bodies[0].material.young -> bodies[0].material -> bodies[0] -> bodies -> "" */
static void cut_last_part(char *path)
{
    char *dot = strrchr(path, '.'), *bracket = strrchr(path, '[');
    char *end = dot > bracket ? dot : bracket;
    *(end ? end : path) = '\0';
}

sn_text_place sn_origin_find(const sn_origin *origin, const char *path)
{
    sn_path around = sn_key_path("%s", path);
    for (;; cut_last_part(around.text)) {
        const sn_written *written = find_written(origin, around.text);
        if (written)
            return written->place;
        if (!around.text[0])
            return (sn_text_place){1, 1, 0};
    }
}

sn_status sn_origin_vfail(const sn_origin *origin, sn_text_place place, const char *path,
                          const char *format, va_list arguments)
{
    char message[512];
    vsnprintf(message, sizeof message, format, arguments);
    const char *colon = path[0] ? ": " : "";
    if (place.source == 0)
        return SN_FAIL(SN_BAD_INPUT, "%s:%d:%d: %s%s%s", origin->file, place.line, place.column,
                       path, colon, message);
    const sn_override *override = &origin->overrides.data[place.source - 1];
    /* The override says which key it is about, unless the trouble is deeper inside. */
    if (override->path && strcmp(override->path, path) == 0)
        path = colon = "";
    return SN_FAIL(SN_BAD_INPUT, "-P %.200s: %s%s%s", override->text, path, colon, message);
}

sn_status sn_origin_fail_at(const sn_origin *origin, sn_text_place place, const char *path,
                            const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_status status = sn_origin_vfail(origin, place, path, format, arguments);
    va_end(arguments);
    return status;
}

sn_status sn_origin_fail(const sn_origin *origin, const char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_status status =
        sn_origin_vfail(origin, sn_origin_find(origin, path), path, format, arguments);
    va_end(arguments);
    return status;
}

sn_status sn_origin_blame(const sn_origin *origin, const char *path, sn_status status)
{
    char complaint[1024];
    snprintf(complaint, sizeof complaint, "%s", sn_failure_message());
    sn_status as_input = sn_origin_fail(origin, path, "%s", complaint);
    return status == SN_MACHINE ? status : as_input;
}

sn_status sn_origin_path(const sn_origin *origin, const char *relative, char *out, size_t size)
{
    const char *slash = strrchr(origin->file, '/');
    bool as_it_is = relative[0] == '/' || strncmp(relative, "builtin:", 8) == 0;
    int folder = as_it_is || !slash ? 0 : (int)(slash + 1 - origin->file);
    int length = snprintf(out, size, "%.*s%s", folder, origin->file, relative);
    if (length < 0 || (size_t)length >= size)
        return SN_FAIL(SN_BAD_INPUT, "%.*s: the path is too long", LONGEST_SHOWN_PATH, relative);
    return SN_OK;
}
