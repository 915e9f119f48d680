/* What Assimp does with files that are made to hurt it, seen from outside: it happens in a process
 * of its own, and here there is a message. */
#include "helpers/motion_files.h"

#include "io/mesh/read.h"
#include "mesh/check.h"

enum { TEXT_BYTES = 8 << 20, DEEP = 400000 };

static void refuse(const char *name, const char *text)
{
    sn_mesh mesh;
    write_text(name, text);
    sn_status status = sn_mesh_read(file_in_folder(name).text, &mesh);
    CHECK(status == SN_BAD_INPUT && strstr(sn_failure_message(), name), "%s: status %d: %s", name,
          status, sn_failure_message());
    CHECK(!mesh.vertex, "%s: left empty", name);
    remove_file(name);
}

/* Frames of DirectX's format in frames: Assimp goes down by recursion. */
static void deep_frames(void)
{
    static char text[TEXT_BYTES];
    char *at = text + sprintf(text, "xof 0303txt 0032\n");
    for (int i = 0; i < DEEP; i++)
        at += sprintf(at, "Frame f%d {\n", i);
    for (int i = 0; i < DEEP; i++)
        at += sprintf(at, "}\n");
    refuse("deep.x", text);
}

/* Counts that the file does not have. */
static void counts_that_lie(void)
{
    refuse("many.off", "OFF\n4000000000 4000000000 0\n0 0 0\n");
    refuse("some.off", "OFF\n200000000 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
}

static void garbage(void)
{
    refuse("broken.fbx", "Kaydara FBX Binary  \x1a");
    refuse("broken.dae", "<?xml version=\"1.0\"?><COLLADA><library_geometries>");
    refuse("broken.3ds", "MM\xff\xff\xff\xff");
}

/* A good one still comes through, with its faces and nodes. */
static void good(void)
{
    sn_mesh mesh;
    write_text("cube.off", "OFF\n8 6 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n"
                           "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n");
    sn_status status = sn_mesh_read(file_in_folder("cube.off").text, &mesh);
    CHECK(status == SN_OK && mesh.n_triangles == 12, "%s", sn_failure_message());
    if (status == SN_OK) {
        sn_mesh_report report = sn_mesh_check(&mesh);
        CHECK(report.closed_chain && report.volume == 1, "volume %g", report.volume);
        sn_mesh_free(&mesh);
    }
    remove_file("cube.off");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_folder();
    good();
    deep_frames();
    counts_that_lie();
    garbage();
    remove_folder();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
