/* The child of an import (io/mesh/import.h): knows Assimp, and takes it for untrustworthy. */
#include "io/mesh/import.h"

#include "base/array.h"
#include "io/mesh/assimp_scene.h"
#include "io/mesh/assimp_send.h"
#include "io/mesh/import_stream.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* In proportion to the file, with much to spare: a number of a text becomes an object or a double,
 * compressed arrays are a few times larger than they are in the file, and a megabyte is read in a
 * fraction of a second. A small file may take what a small machine has. Seconds are the
 * processor's; disks that are slow, and machines that do much else, get some times as many. */
enum {
    LEAST_MEMORY = 1 << 30,
    MEMORY_A_BYTE = 100,
    LEAST_SECONDS = 20,
    BYTES_A_SECOND = 1 << 20,
    WAITING = 10,     /* times as many seconds by the clock */
    STACK = 64 << 20, /* where there is no limit recursion would go on until memory ends */
    MOST_DESCRIPTORS = 1024,
};

typedef struct {
    const char *path;
    SN_VECTOR(double) coordinate;
    SN_VECTOR(double) uv; /* two of each vertex, if any mesh has them */
    bool has_uvs;
    SN_VECTOR(uint32_t) face; /* how many corners it has */
    SN_VECTOR(uint32_t) corner;
    bool too_many;
} shown;

static bool reads_mesh(char **argv)
{
    return strcmp(argv[1], SN_IMPORT_MESH) == 0;
}

static bool reads_motion(char **argv)
{
    return strcmp(argv[1], SN_IMPORT_MOTION) == 0;
}

bool sn_import_asked(int argc, char **argv)
{
    if (argc == 5)
        return strcmp(argv[1], SN_IMPORT_RIG) == 0 || reads_motion(argv);
    return argc == 3 && reads_mesh(argv);
}

static void limit(int resource, rlim_t most)
{
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)resource, &now) == 0 && now.rlim_max < most)
        most = now.rlim_max;
    setrlimit((__rlimit_resource_t)resource, &(struct rlimit){most, most});
}

/* Sanitizers take terabytes of addresses: memory has no limit then. */
static void limit_memory(rlim_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
    (void)bytes;
#else
    limit(RLIMIT_DATA, bytes);
#endif
}

static void limit_all(const char *path)
{
    struct stat about = {0};
    rlim_t bytes = stat(path, &about) == 0 ? (rlim_t)about.st_size : 0;
    rlim_t seconds = LEAST_SECONDS + bytes / BYTES_A_SECOND;
    limit_memory(LEAST_MEMORY + MEMORY_A_BYTE * bytes);
    limit(RLIMIT_CPU, seconds);
    alarm((unsigned)(WAITING * seconds));
    limit(RLIMIT_STACK, STACK);
    limit(RLIMIT_CORE, 0);
    for (int descriptor = 3; descriptor < MOST_DESCRIPTORS; descriptor++)
        close(descriptor); /* sockets of MPI's that a child has no business with */
}

static void transform(const struct aiMatrix4x4 *m, const struct aiVector3D *v, double out[3])
{
    double x = (double)v->x, y = (double)v->y, z = (double)v->z;
    out[0] = (double)m->a1 * x + (double)m->a2 * y + (double)m->a3 * z + (double)m->a4;
    out[1] = (double)m->b1 * x + (double)m->b2 * y + (double)m->b3 * z + (double)m->b4;
    out[2] = (double)m->c1 * x + (double)m->c2 * y + (double)m->c3 * z + (double)m->c4;
}

/* Points and lines are not part of a surface. */
static void add_face(shown *s, const struct aiFace *face, uint32_t first_vertex, bool mirrored)
{
    if (face->mNumIndices < 3)
        return;
    sn_push(&s->face, face->mNumIndices);
    for (unsigned i = 0; i < face->mNumIndices; i++) {
        /* A mirror image turns its faces inside out: turn them back. */
        unsigned from = mirrored ? face->mNumIndices - 1 - i : i;
        sn_push(&s->corner, first_vertex + face->mIndices[from]);
    }
}

static void add_uv(shown *s, const struct aiMesh *mesh, unsigned vertex)
{
    const struct aiVector3D *uv = mesh->mTextureCoords[0];
    s->has_uvs = s->has_uvs || uv;
    sn_push(&s->uv, uv ? (double)uv[vertex].x : 0);
    sn_push(&s->uv, uv ? (double)uv[vertex].y : 0);
}

static void add_mesh(shown *s, const struct aiMesh *mesh, const struct aiMatrix4x4 *to_world)
{
    uint32_t first_vertex = (uint32_t)(s->coordinate.count / 3);
    bool mirrored = aiMatrix4Determinant(to_world) < 0;
    s->too_many = s->too_many || mesh->mNumVertices > SN_IMPORT_MOST - first_vertex;
    for (unsigned v = 0; v < mesh->mNumVertices && !s->too_many; v++) {
        double xyz[3];
        transform(to_world, &mesh->mVertices[v], xyz);
        for (int d = 0; d < 3; d++)
            sn_push(&s->coordinate, xyz[d]);
        add_uv(s, mesh, v);
    }
    for (unsigned f = 0; f < mesh->mNumFaces && !s->too_many; f++) {
        add_face(s, &mesh->mFaces[f], first_vertex, mirrored);
        s->too_many = s->corner.count > SN_IMPORT_MOST;
    }
}

static void add_node(shown *s, const struct aiScene *scene, const struct aiNode *node,
                     const struct aiMatrix4x4 *parent_to_world)
{
    struct aiMatrix4x4 to_world = *parent_to_world;
    aiMultiplyMatrix4(&to_world, &node->mTransformation);
    for (unsigned m = 0; m < node->mNumMeshes; m++) {
        const struct aiMesh *mesh = scene->mMeshes[node->mMeshes[m]];
        struct aiMatrix4x4 place = sn_assimp_mesh_place(s->path, scene, mesh, &to_world);
        add_mesh(s, mesh, &place);
    }
    for (unsigned c = 0; c < node->mNumChildren; c++)
        add_node(s, scene, node->mChildren[c], &to_world);
}

void sn_import_send(const void *data, size_t bytes)
{
    if (bytes > 0 && fwrite(data, 1, bytes, stdout) != bytes)
        _exit(1);
}

static void send_message(const char *message)
{
    sn_import_head head = {.message_bytes = strlen(message)};
    sn_import_send(&head, sizeof head);
    sn_import_send(message, head.message_bytes);
}

static void send_mesh(const shown *s)
{
    sn_import_head head = {.n_vertices = s->coordinate.count / 3,
                           .n_faces = s->face.count,
                           .n_corners = s->corner.count,
                           .has_uvs = s->has_uvs};
    sn_import_send(&head, sizeof head);
    sn_import_send(s->coordinate.data, s->coordinate.count * sizeof *s->coordinate.data);
    if (s->has_uvs)
        sn_import_send(s->uv.data, s->uv.count * sizeof *s->uv.data);
    sn_import_send(s->face.data, s->face.count * sizeof *s->face.data);
    sn_import_send(s->corner.data, s->corner.count * sizeof *s->corner.data);
}

static void send_shown(const char *path, const struct aiScene *scene)
{
    shown s = {.path = path};
    struct aiMatrix4x4 identity;
    aiIdentityMatrix4(&identity);
    if (scene->mRootNode)
        add_node(&s, scene, scene->mRootNode, &identity);
    if (s.too_many)
        send_message("its nodes show too many vertices or corners");
    else
        send_mesh(&s);
}

_Noreturn void sn_import_serve(char **argv)
{
    const char *path = argv[2];
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody waits for it any more */
    limit_all(path);
    const struct aiScene *scene = sn_assimp_open(path);
    if (!scene && reads_mesh(argv))
        send_message(aiGetErrorString());
    else if (!scene)
        sn_import_send_problem(aiGetErrorString());
    else if (reads_mesh(argv))
        send_shown(path, scene);
    else
        sn_import_send_rig(path, scene, argv[3], argv[4], reads_motion(argv));
    _exit(fflush(stdout) == 0 ? 0 : 1); /* nothing is worth being freed */
}
