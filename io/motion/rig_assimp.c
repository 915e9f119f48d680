/* The skeleton and skin of a file that Assimp reads. */
#include "io/mesh/import_stream.h"
#include "io/motion/assimp.h"
#include "io/motion/bind.h"

static sn_status receive_flesh(sn_assimp_stream *s, sn_rig *rig)
{
    sn_import_vertex vertex;
    for (uint64_t v = 0; v < s->n_vertices && s->whole; v++) {
        s->whole = sn_import_child_receive(&s->child, &vertex, sizeof vertex);
        s->whole = s->whole && vertex.joint >= 0 && (size_t)vertex.joint < s->joints.count &&
                   s->joints.data[vertex.joint].is_bone;
        if (!s->whole || v >= SN_RIG_MOST_FLESH)
            continue;
        sn_rig_vertex flesh = {(int)vertex.joint, {vertex.at[0], vertex.at[1], vertex.at[2]}};
        sn_push(&rig->flesh, flesh);
    }
    return SN_OK;
}

static sn_status bind(const sn_assimp_stream *s, sn_rig *rig)
{
    size_t n = 0;
    int *joint = SN_NEW(int, s->joints.count);
    sn_affine *rest = SN_NEW(sn_affine, s->joints.count);
    for (size_t j = 0; j < s->joints.count; j++) {
        if (!s->joints.data[j].is_bone)
            continue;
        joint[n] = (int)j;
        rest[n++] = s->joints.data[j].bound;
    }
    sn_binding binding = {n, joint, rest};
    sn_status status = sn_rig_bind(s->child.path, &binding, rig);
    sn_free(joint);
    sn_free(rest);
    return status;
}

sn_status sn_rig_read_assimp(const char *path, const char *skin, const char *animation, sn_rig *rig)
{
    sn_assimp_stream s = {.skeleton = &rig->skeleton};
    sn_status status = sn_assimp_receive_joints(SN_IMPORT_RIG, path, skin, animation, &s);
    if (status == SN_OK && s.whole)
        status = receive_flesh(&s, rig);
    if (status == SN_OK && s.whole)
        status = bind(&s, rig);
    return sn_assimp_end(&s, status);
}
