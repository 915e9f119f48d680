/* Bones: what they tie does not depend on their triangles, on ranks or the partition; flesh follows
 * them; and bones that can't be. */
#include "helpers/overlapping_bodies.h"

#include "base/digest.h"
#include "base/pi.h"
#include "model/bones.h"
#include "motion/motion.h"
#include "shot/shot.h"

#include <math.h>
#include <string.h>

static double cell = 0.06; /* larger for programs that run slowly */

static const char turned[] =
    "motion: {keys: [{frame: 1}, {frame: 3, rotate: {axis: [1, 2, 0], degrees: 40, about: [0, 0, "
    "1]}, translate: [0.3, 0, 0]}]}";

static sn_scene scene_with(const char *bones, const char *override)
{
    char text[4096];
    snprintf(text, sizeof text,
             "frames: {first: 1, last: 3, fps: 24}\n"
             "gravity: [0, 0, 0]\n"
             "bodies:\n"
             "  - name: ball\n"
             "    mesh: 'builtin:sphere,radius=0.5,detail=12'\n"
             "    cell: %g\n"
             "    material: {young: 2.0e4}\n"
             "solver:\n"
             "  mode: quasistatic\n"
             "  newton: {max: 30, tolerance: 1.0e-9}\n"
             "  linear: {max: 60, tolerance: 1.0e-4}\n",
             cell);
    strncat(text, bones, sizeof text - strlen(text) - 1);
    return read_scene(text, override);
}

typedef struct {
    int64_t n;
    double stiffness, moment[3];
    uint64_t digest;
} summary;

static summary summary_of(MPI_Comm comm, const sn_scene *scene)
{
    sn_model model;
    sn_bones bones;
    summary s = {0};
    CHECK(sn_model_create(comm, scene, &model) == SN_OK, "%s", sn_failure_message());
    sn_status status = sn_bones_create(scene, &model, &bones);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    s.n = (int64_t)bones.springs.count;
    for (size_t i = 0; i < bones.springs.count; i++) {
        const sn_spring *spring = &bones.springs.data[i];
        s.stiffness += spring->normal_stiffness;
        for (int d = 0; d < 3; d++)
            s.moment[d] += spring->normal_stiffness * spring->point[0].at[d];
        double reals[4] = {spring->point[0].at[0], spring->point[0].at[1], spring->point[0].at[2],
                           spring->tangential_stiffness};
        sn_digest_add(&s.digest, spring->number, reals, sizeof reals);
        CHECK(!memcmp(spring->target, spring->point[0].at, sizeof spring->target) &&
                  isinf(spring->friction) && !spring->one_sided && spring->point[1].body == -1,
              "no tie");
    }
    MPI_Allreduce(MPI_IN_PLACE, &s.n, 1, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, &s.stiffness, 4, MPI_DOUBLE, MPI_SUM, comm);
    s.digest = sn_digest_allreduce(comm, s.digest);
    sn_bones_free(&bones);
    sn_model_free(&model);
    return s;
}

/* A box of area 6 * 0.3^2, from few triangles or many; half a box, that the ball ends at. */
static void whatever_the_triangles(void)
{
    const char *coarse = "bones: [{name: a, body: ball, mesh: 'builtin:cube,size=0.3', "
                         "stiffness: 100}]\n";
    sn_scene scene = scene_with(coarse, NULL),
             parmetis = scene_with(coarse, "partition.method=parmetis");
    summary s = summary_of(MPI_COMM_WORLD, &scene), alone = summary_of(MPI_COMM_SELF, &scene);
    summary other = summary_of(MPI_COMM_WORLD, &parmetis);
    CHECK(s.digest == alone.digest && other.digest == alone.digest, "another digest");
    CHECK(fabs(s.stiffness - 100 * 6 * 0.09) < 1e-12 * 54, "stiffness %.17g", s.stiffness);
    for (int d = 0; d < 3; d++)
        CHECK(fabs(s.moment[d] - alone.moment[d]) < 1e-12 * 54, "moment %g", s.moment[d]);
    CHECK(s.n > 8 && s.n < 500, "%ld springs", (long)s.n);
    sn_scene_free(&scene);
    sn_scene_free(&parmetis);
    const char *fine = "bones: [{name: a, body: ball, mesh: 'builtin:sphere,radius=0.2,detail=60', "
                       "stiffness: 100}]\n";
    scene = scene_with(fine, NULL);
    summary many = summary_of(MPI_COMM_WORLD, &scene);
    double area = 4 * SN_PI * 0.04;
    CHECK(fabs(many.stiffness / (100 * area) - 1) < 2e-3, "stiffness %.9g of %g", many.stiffness,
          100 * area);
    CHECK(many.n > 8 && many.n < 500, "%ld springs", (long)many.n);
    sn_scene_free(&scene);
}

/* The last frame's row and digest. */
static sn_frame_row play(MPI_Comm comm, const sn_scene *scene)
{
    static sn_shot shot;
    sn_frame_row row = {0};
    sn_status status = sn_shot_create(comm, scene, &shot);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    if (status != SN_OK)
        return row;
    for (int frame = 1; frame <= 3; frame++) {
        status = sn_shot_advance(&shot, frame, &row);
        CHECK(status == SN_OK, "frame %d: %s", frame, sn_failure_message());
    }
    sn_shot_free(&shot);
    return row;
}

/* Nothing else pulls: the flesh goes where the bone goes, without deforming. */
static void flesh_follows(void)
{
    char bones[1024];
    snprintf(
        bones, sizeof bones,
        "bones: [{name: a, body: ball, mesh: 'builtin:cube,size=0.3', stiffness: 1.0e6, %s}]\n",
        turned);
    sn_scene scene = scene_with(bones, NULL);
    sn_frame_row alone = play(MPI_COMM_SELF, &scene), together = play(MPI_COMM_WORLD, &scene);
    CHECK(together.bone_error < 1e-6, "bone error %g", together.bone_error);
    CHECK(together.elastic_energy < 1e-6, "energy %g", together.elastic_energy);
    CHECK(together.digest == alone.digest && together.bone_error == alone.bone_error &&
              together.linear == alone.linear,
          "%d and %d iterations, errors %g and %g", together.linear, alone.linear,
          together.bone_error, alone.bone_error);
    sn_scene_free(&scene);
}

/* Under gravity, against the default stiffness: a small part of a cell. */
static void default_stiffness(void)
{
    sn_scene scene = scene_with("bones: [{name: a, body: ball, mesh: 'builtin:cube,size=0.4'}]\n",
                                "gravity=[0, -9.81, 0]");
    sn_frame_row row = play(MPI_COMM_WORLD, &scene);
    CHECK(row.bone_error > 0 && row.bone_error < 0.1 * cell, "bone error %g", row.bone_error);
    CHECK(row.elastic_energy > 1e-3, "energy %g", row.elastic_energy);
    sn_scene_free(&scene);
}

static void refused(const char *bones, const char *complaint)
{
    sn_scene scene = scene_with(bones, NULL);
    sn_model model;
    sn_bones b;
    CHECK(sn_model_create(MPI_COMM_WORLD, &scene, &model) == SN_OK, "%s", sn_failure_message());
    sn_status status = sn_bones_create(&scene, &model, &b);
    CHECK(status == SN_BAD_INPUT, "status %d", status);
    CHECK(strstr(sn_failure_message(), complaint), "%s", sn_failure_message());
    sn_model_free(&model);
    sn_scene_free(&scene);
}

static void bones_that_cannot_be(void)
{
    refused("bones:\n  - {name: a, body: ball, mesh: 'builtin:cube,size=0.3'}\n"
            "  - {name: b, body: ball, mesh: 'builtin:cube,size=9'}\n",
            ":14:5: bones[1]: no part of its surface lies in body 'ball'");
    refused("bones:\n  - {name: a, body: ball, mesh: missing.obj}\n", ":13:");
    refused("bones:\n  - {name: a, body: ball, mesh: 'builtin:creature/wing'}\n", "bones[0].mesh");
}

static void run(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) /* few */
        cell = 0.12;
    whatever_the_triangles();
    flesh_follows();
    default_stiffness();
    bones_that_cannot_be();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
