/* Meshes from files: the dispatch by extension, Assimp's formats, files that cannot be read,
 * the collective load, and real meshes where they are present. */
#include "helpers/check.h"
#include "helpers/mesh_samples.h"

#include "io/mesh/load.h"
#include "io/mesh/read.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 1024 };
static char directory[PATH_BYTES]; /* of this run, the same on all ranks */

static void make_directory(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *parent = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/sinew-mesh-XXXXXX", parent ? parent : "/tmp");
    if (rank == 0)
        CHECK(mkdtemp(directory), "cannot make %s", directory);
    MPI_Bcast(directory, sizeof directory, MPI_CHAR, 0, MPI_COMM_WORLD);
}

typedef struct {
    char text[PATH_BYTES + 64];
} path_text;

static path_text path_to(const char *name)
{
    path_text path;
    snprintf(path.text, sizeof path.text, "%s/%s", directory, name);
    return path;
}

static void write_file(const char *name, const char *data, size_t bytes)
{
    FILE *file = fopen(path_to(name).text, "wb");
    CHECK(file && fwrite(data, 1, bytes, file) == bytes, "writing %s", name);
    if (file)
        fclose(file);
}

static void remove_file(const char *name)
{
    CHECK(remove(path_to(name).text) == 0, "removing %s", name);
}

static void extensions_choose_the_reader(void)
{
    const struct {
        const char *name;
        sample content;
    } files[] = {{"a.obj", sample_obj()},
                 {"b.OBJ", sample_obj()},
                 {"c.d.ply", sample_ply(0, 1)},
                 {"e.Stl", sample_stl_binary()}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        write_file(files[i].name, files[i].content.data, files[i].content.bytes);
        sn_mesh mesh;
        sn_status status = sn_mesh_read(path_to(files[i].name).text, &mesh);
        CHECK(status == SN_OK, "%s", sn_failure_message());
        CHECK(mesh.n_vertices == 4 && mesh.n_triangles == 4, "%s", files[i].name);
        sn_mesh_free(&mesh);
        remove_file(files[i].name);
    }
}

static void off_comes_through_assimp(void)
{
    static const char off[] = "OFF\n5 5 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 0.5 1\n"
                              "4 0 3 2 1\n3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n";
    write_file("pyramid.off", off, strlen(off));
    sn_mesh mesh;
    sn_status status = sn_mesh_read(path_to("pyramid.off").text, &mesh);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_mesh_report report = sn_mesh_check(&mesh);
    CHECK(mesh.n_vertices == 5 && mesh.n_triangles == 6 && report.closed_chain, "pyramid");
    CHECK(fabs(report.volume - 1.0 / 3) < 1e-7, "volume %g", report.volume);
    sn_mesh_free(&mesh);
    remove_file("pyramid.off");
}

static void append_base64(char *out, const char *data, size_t bytes)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out += strlen(out);
    for (size_t i = 0; i + 2 < bytes; i += 3) { /* the test's data are a multiple of 3 */
        unsigned three = (unsigned)(unsigned char)data[i] << 16 |
                         (unsigned)(unsigned char)data[i + 1] << 8 | (unsigned char)data[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6)
            *out++ = digit[three >> shift & 63];
    }
    *out = '\0';
}

/* Two nodes show one tetrahedron of split vertices: moved and doubled, and mirrored. */
static void nodes_move_and_mirror_their_meshes(void)
{
    sample corners = {.bytes = 0};
    for (int f = 0; f < 4; f++)
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++)
                sample_put_float(&corners, (float)sample_vertex[sample_face[f][c]][d], 0);
    char text[SAMPLE_BYTES] =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,2]}],"
        "\"nodes\":[{\"translation\":[10,0,0],\"children\":[1]},{\"scale\":[2,2,2],\"mesh\":0},"
        "{\"scale\":[-1,1,1],\"mesh\":0}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":12,\"type\":\"VEC3\","
        "\"min\":[0,0,0],\"max\":[1,1,1]}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":144}],"
        "\"buffers\":[{\"byteLength\":144,\"uri\":\"data:application/octet-stream;base64,";
    append_base64(text, corners.data, corners.bytes);
    strcat(text, "\"}]}");
    write_file("two.gltf", text, strlen(text));
    sn_mesh mesh;
    sn_status status = sn_mesh_read(path_to("two.gltf").text, &mesh);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_mesh_report report = sn_mesh_check(&mesh);
    CHECK(mesh.n_vertices == 8 && mesh.n_triangles == 8, "%d vertices", (int)mesh.n_vertices);
    CHECK(report.closed_chain && report.components == 2, "two closed parts");
    CHECK(fabs(report.volume - 9.0 / 6) < 1e-6, "both outside out: volume %g", report.volume);
    CHECK(report.bounds.min[0] == -1 && report.bounds.max[0] == 12, "where the nodes put them");
    sn_mesh_free(&mesh);
    remove_file("two.gltf");
}

static void expect_failure(const char *name, const char *fragment)
{
    sn_mesh mesh;
    sn_status status = sn_mesh_read(path_to(name).text, &mesh);
    CHECK(status == SN_BAD_INPUT, "%s: status %d", name, status);
    CHECK(strstr(sn_failure_message(), fragment), "'%s' in '%s'", fragment, sn_failure_message());
    CHECK(strstr(sn_failure_message(), name), "the file's name in '%s'", sn_failure_message());
    CHECK(mesh.n_vertices == 0 && !mesh.vertex, "left empty");
    sn_mesh_free(&mesh);
}

static void expect_failure_of(const char *name, const char *content, const char *fragment)
{
    write_file(name, content, strlen(content));
    expect_failure(name, fragment);
    remove_file(name);
}

static void unreadable_files_are_refused(void)
{
    expect_failure("missing.obj", "No such file");
    expect_failure("missing.glb", "No such file");
    expect_failure_of("empty.ply", "", "the file is empty");
    expect_failure_of("thing.xyz123", "v 0 0 0", "unknown mesh format \".xyz123\"");
    expect_failure_of("thing", "v 0 0 0", "unknown mesh format");
    expect_failure_of("broken.glb", "glTF this is not", "expected a binary glTF file");
    expect_failure_of("points.off", "OFF\n1 0 0\n0 0 0\n", "");
    CHECK(mkdir(path_to("folder.obj").text, 0700) == 0, "mkdir");
    expect_failure("folder.obj", "is a directory");
    remove_file("folder.obj");
    CHECK(mkfifo(path_to("pipe.stl").text, 0600) == 0, "mkfifo");
    expect_failure("pipe.stl", "not a regular file");
    remove_file("pipe.stl");
    write_file("secret.obj", "v", 1);
    chmod(path_to("secret.obj").text, 0);
    if (access(path_to("secret.obj").text, R_OK) != 0) /* root may read everything */
        expect_failure("secret.obj", "ermission denied");
    remove_file("secret.obj");
}

static void every_rank_gets_the_mesh(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sample obj = sample_obj();
    if (rank == 0)
        write_file("shared.obj", obj.data, obj.bytes);
    sn_shared_mesh shared;
    sn_mesh_report report;
    sn_status status =
        sn_mesh_load(MPI_COMM_WORLD, path_to("shared.obj").text, NULL, &shared, &report);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    if (status == SN_OK) {
        CHECK(fabs(sn_mesh_volume(&shared.view) - 1.0 / 6) < 1e-15, "the view");
        CHECK(report.closed_chain && report.volume == sn_mesh_volume(&shared.view), "the report");
        sn_shared_mesh_free(&shared);
    }
    if (rank == 0)
        remove_file("shared.obj");
}

/* Twice as large, a quarter turn about an axis beside the origin, then up. */
static void a_mesh_is_put_in_its_place(void)
{
    sn_placement place = {
        .given = 1, .scale = 2, .rotate = {1, {0, 0, 3}, 90, {1, 0, 0}}, .translate = {0, 5, 0}};
    sn_shared_mesh plain, placed;
    sn_mesh_report report;
    CHECK(sn_mesh_load(MPI_COMM_WORLD, "builtin:beam", NULL, &plain, &report) == SN_OK, "plain");
    CHECK(sn_mesh_load(MPI_COMM_WORLD, "builtin:beam", &place, &placed, &report) == SN_OK,
          "placed");
    double worst = 0;
    for (int64_t v = 0; v < plain.view.n_vertices; v++) {
        const double *from = plain.view.vertex[v], *at = placed.view.vertex[v];
        worst = fmax(worst, fabs(at[0] - (1 - 2 * from[1])));
        worst = fmax(worst, fabs(at[1] - (2 * from[0] - 1 + 5)));
        worst = fmax(worst, fabs(at[2] - 2 * from[2]));
    }
    CHECK(worst < 1e-14, "off by %g", worst);
    CHECK(fabs(report.volume - 8 * sn_mesh_volume(&plain.view)) < 1e-14, "volume %g",
          report.volume);
    sn_shared_mesh_free(&plain);
    sn_shared_mesh_free(&placed);
}

static void every_rank_gets_the_failure(const char *name, const char *content, const char *fragment)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        write_file(name, content, strlen(content));
    sn_shared_mesh shared;
    sn_mesh_report report;
    sn_status status = sn_mesh_load(MPI_COMM_WORLD, path_to(name).text, NULL, &shared, &report);
    CHECK(status == SN_BAD_INPUT, "status %d", status);
    CHECK(strstr(sn_failure_message(), fragment), "'%s' in '%s'", fragment, sn_failure_message());
    if (rank == 0)
        remove_file(name);
}

static void check_real_mesh(const char *data, const char *name, int64_t n_vertices,
                            int64_t n_triangles)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    path_text path;
    snprintf(path.text, sizeof path.text, "%s/%s", data, name);
    if (access(path.text, R_OK) != 0) {
        if (rank == 0)
            printf("%s: skipped, not found\n", name);
        return;
    }
    sn_shared_mesh shared;
    sn_mesh_report report;
    sn_status status = sn_mesh_load(MPI_COMM_WORLD, path.text, NULL, &shared, &report);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    if (status != SN_OK)
        return;
    CHECK(shared.view.n_vertices == n_vertices, "%s: %" PRId64 " vertices", name,
          shared.view.n_vertices);
    CHECK(shared.view.n_triangles == n_triangles, "%s: %" PRId64 " triangles", name,
          shared.view.n_triangles);
    CHECK(report.closed_chain, "%s: closed", name);
    CHECK(report.volume > 0, "%s: volume %g", name, report.volume);
    sn_shared_mesh_free(&shared);
}

static void real_meshes(void)
{
    const char *data = getenv("SINEW_DATA");
    if (!data)
        data = SINEW_DEFAULT_DATA;
    check_real_mesh(data, "spot/spot.obj", 11533, 23062);
    check_real_mesh(data, "armadillo/armadillo.obj", 14587, 29170);
    check_real_mesh(data, "skull/skull.obj", 49999, 100002);
    check_real_mesh(data, "human/body.obj", 13380, 2 * 13378);
    /* Every corner of this file is a vertex of its own; joined by position it is closed. */
    check_real_mesh(data, "fox/Fox.glb", 290, 576);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make_directory();
    if (rank == 0) {
        extensions_choose_the_reader();
        off_comes_through_assimp();
        nodes_move_and_mirror_their_meshes();
        unreadable_files_are_refused();
    }
    every_rank_gets_the_mesh();
    a_mesh_is_put_in_its_place();
    every_rank_gets_the_failure("bad.obj", "v 0 0 nan\n", "bad.obj:1: vertex 1 is not finite");
    every_rank_gets_the_failure("flat.obj", "v 0 0 1\nv 1 0 1\nv 0 1 1\nf 1 2 3\n",
                                "flat.obj: mesh of zero volume");
    real_meshes();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        CHECK(rmdir(directory) == 0, "%s is not empty", directory);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
