/* What a run may do with a directory in which files lie already, and what it does: another run's
 * files are kept unless they may be written over, files of other people always, and what a killed
 * run left half written goes. */
#include "helpers/check.h"
#include "helpers/scene_text.h"

#include "io/text/temporary_folder.h"
#include "run/checkpoints.h"
#include "run/directory.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank;

static const char SCENE[] =
    "frames: {first: 1, last: 20}\nbodies:\n  - {name: cube, mesh: builtin:cube, cell: 0.5}\n";

static const char *const FRAMES[] = {"surface_0001.vtkhdf", "octree_0001.vtkhdf", "surface.xmf",
                                     "checkpoint_0002.h5", "checkpoint_0003_s01.h5"};
static const char *const HALVES[] = {"surface_0002.vtkhdf.a-1.part",
                                     "checkpoint_0004.h5.b_c-27.part", "frames.csv.d-3.part",
                                     "scene.yaml.e-4.part"};
static const char *const FOREIGN[] = {
    "notes.txt",         "mine.part",          "mine.a-1.part",       "frames.csv.part",
    "scene.yaml.a.part", "surface_sketch.png", "surface_0999.vtkhdf", "checkpoint_of_mine.h5"};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static void write_all(const sn_scene *scene, const char *const *name, int n)
{
    for (int i = 0; i < n && rank == 0; i++)
        fclose(fopen(sn_run_file(scene, name[i]).path, "w"));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void expect_all(const sn_scene *scene, const char *const *name, int n, bool there)
{
    for (int i = 0; i < n && rank == 0; i++)
        CHECK((access(sn_run_file(scene, name[i]).path, F_OK) == 0) == there, "%s", name[i]);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Of a run that enters and goes away again. */
static void expect_entry(const sn_scene *scene, sn_run_mode mode, sn_status status,
                         const char *message)
{
    sn_hold hold = sn_hold_nothing(MPI_COMM_WORLD, scene->output.dir);
    sn_status found = sn_run_directory_enter(scene, &mode, false, &hold);
    CHECK(found == status, "status %d", found);
    CHECK(found == SN_OK || strstr(sn_failure_message(), message), "%s", sn_failure_message());
    sn_hold_release(&hold);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void open_directory(const sn_scene *scene, sn_run_mode mode)
{
    sn_hold hold = sn_hold_nothing(MPI_COMM_WORLD, scene->output.dir);
    CHECK(sn_run_directory_open(scene, mode, &hold) == SN_OK, "%s", sn_failure_message());
    expect_all(scene, (const char *[]){"held_by.txt"}, 1, true);
    sn_hold_release(&hold);
    MPI_Barrier(MPI_COMM_WORLD);
    expect_all(scene, (const char *[]){"held_by.txt"}, 1, false);
}

/* Nothing is made by asking. */
static void a_new_directory(const sn_scene *scene)
{
    expect_entry(scene, SN_RUN_NEW, SN_OK, "");
    CHECK(access(scene->output.dir, F_OK) != 0, "made by a check");
    MPI_Barrier(MPI_COMM_WORLD);
    open_directory(scene, SN_RUN_NEW);
    expect_all(scene, (const char *[]){"scene.yaml", "log.txt", "manifest.txt"}, 3, true);
    expect_entry(scene, SN_RUN_NEW, SN_BAD_INPUT, "has the files of another run");
    expect_entry(scene, SN_RUN_OVERWRITE, SN_OK, "");
    expect_entry(scene, SN_RUN_GO_ON, SN_OK, "");
}

static void remove_one(const sn_scene *scene, const char *name)
{
    if (rank == 0)
        remove(sn_run_file(scene, name).path);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Without the manifest all of it is other people's. */
static void files_that_no_run_wrote(const sn_scene *scene)
{
    static const sn_run_mode modes[] = {SN_RUN_NEW, SN_RUN_OVERWRITE, SN_RUN_GO_ON};
    write_all(scene, FOREIGN, COUNT(FOREIGN));
    for (int m = 0; m < 3; m++) {
        remove_one(scene, "manifest.txt");
        expect_entry(scene, modes[m], SN_BAD_INPUT, "names: log.txt, scene.yaml; move");
    }
    remove_one(scene, "log.txt");
    remove_one(scene, "scene.yaml");
    for (int i = 0; i < COUNT(FRAMES); i++) {
        write_all(scene, FRAMES + i, 1);
        expect_entry(scene, SN_RUN_OVERWRITE, SN_BAD_INPUT, FRAMES[i]);
        remove_one(scene, FRAMES[i]);
    }
    expect_entry(scene, SN_RUN_NEW, SN_OK, "");
    open_directory(scene, SN_RUN_NEW);
    expect_all(scene, FOREIGN, COUNT(FOREIGN), true);
}

static void what_goes(const sn_scene *scene)
{
    write_all(scene, FRAMES, COUNT(FRAMES));
    write_all(scene, HALVES, COUNT(HALVES));
    open_directory(scene, SN_RUN_GO_ON);
    expect_all(scene, HALVES, COUNT(HALVES), false);
    expect_all(scene, FRAMES, COUNT(FRAMES), true);
    open_directory(scene, SN_RUN_OVERWRITE);
    expect_all(scene, FRAMES, COUNT(FRAMES), false);
    expect_all(scene, FOREIGN, COUNT(FOREIGN), true);
}

static void checkpoints_that_are_there(const sn_scene *scene)
{
    static const char *const names[] = {"checkpoint_0010.h5", "checkpoint_0011_s02.h5",
                                        "checkpoint_0009.h5", "checkpoint_0011_s10.h5",
                                        "checkpoint_0011.h5"};
    static const int newest_first[] = {4, 3, 1, 0, 2};
    write_all(scene, names, COUNT(names));
    sn_checkpoint_list list;
    CHECK(sn_checkpoints_list(scene, &list) == SN_OK, "%s", sn_failure_message());
    CHECK(list.count == COUNT(names), "%zu checkpoints", list.count);
    for (size_t i = 0; i < list.count && i < COUNT(names); i++)
        CHECK(strcmp(sn_checkpoint_file_of(&list.data[i]).text, names[newest_first[i]]) == 0, "%s",
              sn_checkpoint_file_of(&list.data[i]).text);
    sn_vector_free(&list);
}

/* All of them are empty: each newer one is warned of, and the run is not started over. */
static void no_checkpoint_is_whole(const sn_scene *scene)
{
    bool found;
    sn_checkpoint_name name;
    sn_status status = sn_checkpoints_find(MPI_COMM_WORLD, scene, &found, &name);
    CHECK(status == SN_MACHINE && found, "status %d", status);
    CHECK(strstr(sn_failure_message(), "no checkpoint is whole"), "%s", sn_failure_message());
}

static void no_checkpoints(const sn_scene *scene)
{
    bool found = true;
    sn_checkpoint_name name;
    CHECK(sn_checkpoints_find(MPI_COMM_WORLD, scene, &found, &name) == SN_OK, "%s",
          sn_failure_message());
    CHECK(!found, "one is found where there is no directory");
}

/* The scene that is being run must not be written over. */
static void its_own_scene(const sn_scene *there)
{
    sn_scene copy = *there, *scene = &copy;
    sn_run_path own = sn_run_file(scene, "scene.yaml");
    scene->origin.file = own.path;
    expect_entry(scene, SN_RUN_OVERWRITE, SN_BAD_INPUT, "would write over this scene");
    expect_entry(scene, SN_RUN_GO_ON, SN_OK, "");
}

static void places_that_are_none(const sn_scene *scene)
{
    sn_scene other = *scene;
    char path[SN_RUN_PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/missing/run", scene->output.dir);
    other.output.dir = path;
    expect_entry(&other, SN_RUN_NEW, SN_MACHINE, "cannot be made");
    snprintf(path, sizeof path, "%s/notes.txt", scene->output.dir);
    expect_entry(&other, SN_RUN_NEW, SN_MACHINE, "Not a directory");
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = 0;
    expect_entry(&other, SN_RUN_NEW, SN_BAD_INPUT, "too long");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sn_scene scene;
    sn_temporary_folder folder;
    if (sn_temporary_folder_make(MPI_COMM_WORLD, "/tmp", &folder) != SN_OK ||
        read_scene_text(MPI_COMM_WORLD, SCENE, strlen(SCENE), NULL, 0, &scene) != SN_OK) {
        CHECK(false, "%s", sn_failure_message());
        return;
    }
    char directory[SN_TEMPORARY_FOLDER_BYTES + 8];
    snprintf(directory, sizeof directory, "%s/run", folder.path);
    sn_scene there = scene; /* the text's own directory is freed with it */
    there.output.dir = directory;
    no_checkpoints(&there);
    a_new_directory(&there);
    files_that_no_run_wrote(&there);
    what_goes(&there);
    checkpoints_that_are_there(&there);
    no_checkpoint_is_whole(&there);
    its_own_scene(&there);
    places_that_are_none(&there);
    sn_log_close();
    sn_scene_free(&scene);
    if (rank == 0) {
        static const char *const rest[] = {"scene.yaml",
                                           "log.txt",
                                           "manifest.txt",
                                           "checkpoint_0010.h5",
                                           "checkpoint_0011_s02.h5",
                                           "checkpoint_0009.h5",
                                           "checkpoint_0011_s10.h5",
                                           "checkpoint_0011.h5"};
        for (int i = 0; i < COUNT(rest); i++)
            remove(sn_run_file(&there, rest[i]).path);
        for (int i = 0; i < COUNT(FOREIGN); i++)
            remove(sn_run_file(&there, FOREIGN[i]).path);
        rmdir(directory);
    }
    sn_temporary_folder_remove(&folder);
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
