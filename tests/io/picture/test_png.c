/* Pictures as files: what is read back is what was written, and what cannot be written leaves
 * one message and no file. */
#include "base/array.h"
#include "helpers/check.h"
#include "io/picture/png.h"

#include <png.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 61, HEIGHT = 47, BYTES = 4 * WIDTH * HEIGHT };

static uint8_t *noise(void)
{
    uint8_t *rgba = SN_NEW(uint8_t, BYTES);
    unsigned long long state = 5;
    for (int i = 0; i < BYTES; i++)
        rgba[i] = (uint8_t)(256 * test_random(&state));
    return rgba;
}

static void in_folder(char path[256], const char *folder, const char *name)
{
    snprintf(path, 256, "%s/%s", folder, name);
}

static int exists(const char *folder, const char *name)
{
    char path[256];
    in_folder(path, folder, name);
    return access(path, F_OK) == 0;
}

static void test_read_back(const char *folder, const uint8_t *rgba)
{
    char path[256];
    in_folder(path, folder, "good.png");
    sn_status status = sn_png_write(path, WIDTH, HEIGHT, rgba);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    CHECK(!exists(folder, "good.png.part"), "the temporary file stayed");
    png_image image = {.version = PNG_IMAGE_VERSION};
    CHECK(png_image_begin_read_from_file(&image, path), "%s", image.message);
    CHECK(image.width == WIDTH && image.height == HEIGHT, "%u x %u", image.width, image.height);
    image.format = PNG_FORMAT_RGBA;
    uint8_t *back = SN_NEW_ZERO(uint8_t, PNG_IMAGE_SIZE(image));
    CHECK(png_image_finish_read(&image, NULL, back, 0, NULL), "%s", image.message);
    CHECK(memcmp(rgba, back, BYTES) == 0, "other pixels came back");
    sn_free(back);
    remove(path);
}

/* `name` must fail; the message names the path and the reason. */
static void expect_failure(const char *folder, const char *name, const char *reason,
                           const uint8_t *rgba)
{
    char path[256], part[300];
    in_folder(path, folder, name);
    snprintf(part, sizeof part, "%s.part", path);
    sn_status status = sn_png_write(path, WIDTH, HEIGHT, rgba);
    CHECK(status == SN_MACHINE, "%s: status %d", path, status);
    CHECK(strstr(sn_failure_message(), path), "message: %s", sn_failure_message());
    CHECK(strstr(sn_failure_message(), reason), "message: %s", sn_failure_message());
    CHECK(access(part, F_OK) != 0, "%s stayed", part);
}

/* A limit on the size of files stands in for a full disk. */
static void test_full_disk(const char *folder, const uint8_t *rgba)
{
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 1000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    expect_failure(folder, "full.png", "", rgba);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    CHECK(!exists(folder, "full.png"), "half a file");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    char folder[] = "/tmp/sinew-test-png-XXXXXX", taken[256];
    CHECK(mkdtemp(folder), "no temporary folder");
    uint8_t *rgba = noise();
    test_read_back(folder, rgba);
    expect_failure(folder, "missing/x.png", "No such file or directory", rgba);
    in_folder(taken, folder, "taken.png");
    mkdir(taken, 0700);
    expect_failure(folder, "taken.png", "directory", rgba);
    test_full_disk(folder, rgba);
    rmdir(taken);
    CHECK(rmdir(folder) == 0, "files were left in %s", folder);
    sn_free(rgba);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
