#include "io/picture/png.h"

#include "base/array.h"
#include "io/text/part_file.h"

#include <errno.h>
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Leaves in `reason` why it failed. */
static bool write_whole(FILE *file, int width, int height, const uint8_t *rgba, char reason[128])
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGBA};
    errno = 0;
    bool written = png_image_write_to_stdio(&image, file, 0, rgba, 0, NULL) != 0;
    if (!written) /* libpng knows only that writing failed */
        snprintf(reason, 128, "%s", ferror(file) && errno ? strerror(errno) : image.message);
    png_image_free(&image);
    /* A full disk may show only here. */
    if (written && (fflush(file) != 0 || fsync(fileno(file)) != 0)) {
        written = false;
        snprintf(reason, 128, "%s", strerror(errno));
    }
    if (fclose(file) != 0 && written) {
        written = false;
        snprintf(reason, 128, "%s", strerror(errno));
    }
    return written;
}

static sn_status cannot_write(const char *path, const char *reason)
{
    return SN_FAIL(SN_MACHINE, "%s: cannot write the picture: %s", path, reason);
}

static sn_status write_and_rename(const char *path, const char *part, int width, int height,
                                  const uint8_t *rgba)
{
    int descriptor = sn_part_make(part);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (!file)
        return cannot_write(path, strerror(errno));
    char reason[128] = "";
    bool whole = write_whole(file, width, height, rgba, reason);
    if (whole && rename(part, path) != 0) {
        whole = false;
        snprintf(reason, sizeof reason, "%s", strerror(errno));
    }
    if (whole)
        return SN_OK;
    remove(part);
    return cannot_write(path, reason);
}

/* The folder of a path, "." if it names none; the caller frees it. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    char *folder = SN_NEW(char, length + 1);
    memcpy(folder, slash ? path : ".", length);
    folder[length] = '\0';
    return folder;
}

static bool ends_as_png(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending && strcasecmp(ending, ".png") == 0;
}

sn_status sn_png_check_path(const char *path)
{
    struct stat about;
    if (!ends_as_png(path))
        return SN_FAIL(SN_BAD_INPUT, "%s: pictures are PNG files: give a name that ends with .png",
                       path);
    char *folder = folder_of(path);
    bool writable = access(folder, W_OK | X_OK) == 0;
    int reason = errno;
    sn_free(folder);
    if (!writable)
        return cannot_write(path, strerror(reason));
    /* A picture takes the place of what has its name: that must not be a device or a link. */
    if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return cannot_write(path, "what is there is not a regular file");
    return SN_OK;
}

sn_status sn_png_write(const char *path, int width, int height, const uint8_t *rgba)
{
    char *part = sn_part_path(path);
    sn_status status = write_and_rename(path, part, width, height, rgba);
    sn_free(part);
    return status;
}
