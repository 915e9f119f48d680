#include "cli/export_props.h"

#include "base/log.h"

enum { PATH_BYTES = 4096 };

static sn_affine pose_at(const void *context, double frame)
{
    return sn_moving_at(context, frame);
}

/* What is not moved as a whole has no pose. */
static void add(sn_export_props *p, const char *group, const char *name, const sn_mesh *mesh,
                const sn_moving *moving)
{
    sn_export_prop prop = {group, name, mesh, pose_at, moving};
    if (moving && mesh->n_triangles > 0)
        sn_push(&p->list, prop);
    else
        sn_warn("%s: is not exported: it has no mesh that is moved as a whole", name);
}

static void add_bones(sn_export_props *p)
{
    for (size_t i = 0; i < p->props.bones.count; i++) {
        const sn_listed_bone *bone = &p->props.bone_list.bones.data[i];
        add(p, "bones", bone->name, &p->props.bones.data[i].mesh,
            bone->shape ? NULL : &bone->moving);
    }
}

static void add_colliders(sn_export_props *p)
{
    for (size_t i = 0; i < p->props.colliders.count; i++) {
        const sn_prop *prop = &p->props.colliders.data[i];
        add(p, "colliders", p->scene.colliders.data[prop->number].name, &prop->mesh,
            prop->sequence ? NULL : &prop->moving);
    }
}

sn_status sn_export_props_open(const char *run_dir, bool bones, bool colliders, sn_export_props *p)
{
    char path[PATH_BYTES];
    *p = (sn_export_props){0};
    snprintf(path, sizeof path, "%s/scene.yaml", run_dir);
    SN_TRY(sn_scene_read(MPI_COMM_SELF, path, NULL, 0, &p->scene));
    p->scene.render.bones = bones;
    sn_status status = sn_props_create(MPI_COMM_SELF, &p->scene, &p->props);
    if (status != SN_OK) {
        sn_scene_free(&p->scene);
        return status;
    }
    add_bones(p);
    if (colliders)
        add_colliders(p);
    return SN_OK;
}

void sn_export_props_free(sn_export_props *p)
{
    sn_vector_free(&p->list);
    sn_props_free(&p->props);
    sn_scene_free(&p->scene);
}
