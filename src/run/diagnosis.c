#include "run/diagnosis.h"

#include "base/log.h"
#include "run/directory.h"
#include "run/nearest.h"
#include "shot/folded.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm comm_of(const sn_diagnosis *d)
{
    return d->shot->model.forest.level[0].comm;
}

static bool is_first(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank == 0;
}

sn_diagnosis sn_diagnosis_of(sn_shot *shot)
{
    return (sn_diagnosis){.shot = shot};
}

void sn_diagnosis_free(sn_diagnosis *d)
{
    if (d->has_props)
        sn_props_free(&d->props);
    sn_vector_free(&d->faults);
    *d = (sn_diagnosis){0};
}

/* Without them there is still a place. */
static void make_props(sn_diagnosis *d)
{
    if (d->asked_props)
        return;
    d->asked_props = true;
    d->seen = *d->shot->scene;
    d->seen.render.bones = true;
    d->has_props = sn_props_create(comm_of(d), &d->seen, &d->props) == SN_OK;
}

/* ---- One fault ---- */

/* What moves there on the way that led here, or in a frame that can't be solved on the way on. */
static void set_nearest(const sn_diagnosis *d, sn_fault *f)
{
    const sn_frames *frames = &d->shot->scene->frames;
    double now = frames->first + d->shot->state.nodes.time * frames->fps;
    double other = f->kind == SN_FAULT_UNSOLVED ? now + 1 : now - 1;
    sn_nearest nearest = sn_nearest_to(&d->props, f->place, now, other);
    if (!nearest.kind)
        return;
    sn_fault_name(f->nearest, nearest.kind, nearest.name);
    f->distance = nearest.distance;
    f->way = nearest.way / frames->substeps;
}

static void tell(const sn_diagnosis *d, const sn_fault *f)
{
    sn_info("frame %d: %s; try %s", f->frame, sn_fault_words(f).text,
            sn_fault_advice(f, d->shot->scene->frames.substeps).text);
}

static void add(sn_diagnosis *d, const sn_folded *folded, int body, bool unsolved)
{
    const sn_body *of = &d->shot->model.bodies.body[body];
    sn_fault f = {.frame = d->shot->state.progress.frame,
                  .kind = unsolved ? SN_FAULT_UNSOLVED : SN_FAULT_INVERTED,
                  .count = folded->count,
                  .least = folded->least,
                  .cell = of->cell};
    memcpy(f.place, folded->now, sizeof f.place);
    sn_fault_name(f.body, "", of->name);
    if (d->has_props)
        set_nearest(d, &f);
    tell(d, &f);
    sn_push(&d->faults, f);
}

/* ---- A frame ---- */

static int worst_of(const sn_folded *folded, int n)
{
    int worst = 0;
    for (int b = 1; b < n; b++)
        if (folded[b].least < folded[worst].least)
            worst = b;
    return worst;
}

static sn_status add_and_write(sn_diagnosis *d, const sn_folded *folded, bool unsolved)
{
    int n = d->shot->model.bodies.n, worst = worst_of(folded, n);
    const char *path = sn_run_file(d->shot->scene, SN_DIAGNOSIS_FILE).path;
    if (!d->kept)
        SN_TRY(sn_faults_read(path, &d->faults));
    d->kept = true;
    for (int b = 0; b < n; b++)
        if (folded[b].count > 0 || (unsolved && b == worst))
            add(d, &folded[b], b, unsolved && b == worst);
    return sn_faults_write(sn_run_file(d->shot->scene, SN_DIAGNOSIS_FILE).path, &d->faults);
}

sn_status sn_diagnosis_add(sn_diagnosis *d, bool unsolved)
{
    make_props(d);
    sn_folded *folded = sn_shot_folded(d->shot);
    sn_status status =
        sn_agree(comm_of(d), is_first(comm_of(d)) ? add_and_write(d, folded, unsolved) : SN_OK);
    sn_free(folded);
    return status;
}

/* ---- Before the first frame ---- */

static sn_status keep_until(const char *path, int last_frame)
{
    sn_fault_list all, kept = {0};
    if (sn_faults_read(path, &all) != SN_OK)
        return unlink(path) == 0 ? SN_OK : SN_FAIL(SN_MACHINE, "%s: cannot be removed", path);
    for (size_t i = 0; i < all.count; i++)
        if (all.data[i].frame <= last_frame)
            sn_push(&kept, all.data[i]);
    sn_status status = SN_OK;
    if (kept.count > 0 && kept.count < all.count)
        status = sn_faults_write(path, &kept);
    else if (kept.count < all.count && unlink(path) != 0)
        status = SN_FAIL(SN_MACHINE, "%s: cannot be removed", path);
    sn_vector_free(&kept);
    sn_vector_free(&all);
    return status;
}

sn_status sn_diagnosis_begin(MPI_Comm comm, const sn_scene *scene, int last_frame)
{
    sn_run_path file = sn_run_file(scene, SN_DIAGNOSIS_FILE);
    return sn_agree(comm, is_first(comm) ? keep_until(file.path, last_frame) : SN_OK);
}
