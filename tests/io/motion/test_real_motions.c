/* Motions that nobody here made: every joint finite at every frame, and no bone that changes its
 * length; and the same files cut short. Skipped without the data. */
#include "helpers/check.h"

#include "io/motion/read.h"
#include "io/text/whole_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKIPPED = 77, PATH_BYTES = 1024 };
static int n_read; /* files that were there */

static double distance(const sn_affine *a, const sn_affine *b)
{
    return hypot(hypot(a->row[0][3] - b->row[0][3], a->row[1][3] - b->row[1][3]),
                 a->row[2][3] - b->row[2][3]);
}

/* At frames and half-way between them. */
static void check_bones(const char *name, const sn_skeleton *s, double step, double tolerance)
{
    for (int j = 0; j < (int)s->joints.count; j++) {
        int parent = s->joints.data[j].parent;
        bool moves = s->joints.data[j].track[SN_TRACK_SHIFT].n > 1;
        sn_affine rest = sn_skeleton_rest(s, j);
        CHECK(sn_affine_is_finite(&rest), "%s: joint %d at rest", name, j);
        double length = -1;
        for (double time = 0; time <= s->last + step; time += step / 2) {
            sn_affine pose = sn_skeleton_pose(s, j, time);
            CHECK(sn_affine_is_finite(&pose), "%s: joint %d at %g", name, j, time);
            if (parent < 0 || moves)
                continue;
            sn_affine base = sn_skeleton_pose(s, parent, time);
            if (length < 0)
                length = distance(&pose, &base);
            CHECK(fabs(distance(&pose, &base) - length) <= tolerance * (1 + length),
                  "%s: joint %d at %g is %g from its parent, before %g", name, j, time,
                  distance(&pose, &base), length);
        }
    }
}

static bool present(const char *data, const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%s", data, name);
    bool there = access(path, R_OK) == 0;
    n_read += there;
    return there;
}

static void check_bvh(const char *data, const char *name, double fps, double last, size_t joints)
{
    char path[PATH_BYTES];
    sn_skeleton s;
    if (!present(data, name, path))
        return;
    sn_status status = sn_motion_read_bvh(path, SN_BVH_ADDED, &s);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    if (status != SN_OK)
        return;
    CHECK(s.fps == fps && s.last == last, "%s: %g a second, last %g", name, s.fps, s.last);
    size_t real = 0;
    for (size_t j = 0; j < s.joints.count; j++)
        real += !s.joints.data[j].is_end;
    CHECK(real == joints, "%s: %zu joints", name, real);
    check_bones(name, &s, last > 100 ? 8 : 1, 1e-12);
    sn_skeleton_free(&s);
}

static void check_fox(const char *data, const char *animation, double seconds)
{
    char path[PATH_BYTES];
    sn_skeleton s;
    if (!present(data, "fox/Fox.glb", path))
        return;
    sn_status status = sn_motion_read_gltf(path, animation, &s);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    if (status != SN_OK)
        return;
    CHECK(sn_skeleton_find(&s, "b_Tail01_012") > 0 && fabs(s.last - seconds) < 0.01, "%g seconds",
          s.last);
    check_bones(animation, &s, 1.0 / 24, 1e-5);
    sn_skeleton_free(&s);
}

/* A file that ends too early is refused, wherever it was cut. */
static void cut_short(const char *data, const char *name, const char *ending, int pieces)
{
    char path[PATH_BYTES], cut[PATH_BYTES];
    if (!present(data, name, path))
        return;
    sn_whole_file whole;
    if (sn_whole_file_read(path, &whole) != SN_OK)
        return;
    const char *parent = getenv("TMPDIR");
    snprintf(cut, sizeof cut, "%.900s/sinew-cut-%ld%s", parent ? parent : "/tmp", (long)getpid(),
             ending);
    for (int i = 1; i < pieces; i++) {
        FILE *file = fopen(cut, "wb");
        fwrite(whole.data, 1, whole.bytes / (size_t)pieces * (size_t)i, file);
        fclose(file);
        sn_skeleton s;
        sn_status status = strcmp(ending, ".bvh") == 0 ? sn_motion_read_bvh(cut, SN_BVH_ADDED, &s)
                                                       : sn_motion_read_gltf(cut, NULL, &s);
        CHECK(status == SN_BAD_INPUT && strstr(sn_failure_message(), cut),
              "%s, %d of %d: status %d: %s", name, i, pieces, status, sn_failure_message());
        if (status == SN_OK)
            sn_skeleton_free(&s);
    }
    remove(cut);
    sn_whole_file_free(&whole);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    const char *data = getenv("SINEW_DATA");
    if (!data)
        data = SINEW_DEFAULT_DATA;
    check_bvh(data, "human/walk1.bvh", 24, 13, 75);
    check_bvh(data, "mocap/05_06.bvh", 120, 885, 31);
    check_fox(data, "Survey", 3.42);
    check_fox(data, "Walk", 0.71);
    check_fox(data, "Run", 1.16);
    cut_short(data, "human/walk1.bvh", ".bvh", 97);
    cut_short(data, "fox/Fox.glb", ".glb", 97);
}

int main(int argc, char **argv)
{
    int status = test_main(argc, argv, run);
    return n_read == 0 ? SKIPPED : status;
}
