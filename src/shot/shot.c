#include "shot/shot.h"

#include "base/array.h"
#include "base/timer.h"
#include "model/masses.h"
#include "octree/positions.h"

#include <math.h>

static double frame_at(const sn_scene *scene, double time)
{
    return scene->frames.first + time * scene->frames.fps;
}

static double time_of(const sn_scene *scene, int frame)
{
    return (frame - scene->frames.first) / scene->frames.fps;
}

static void move_pins(void *context, double time, double *x)
{
    const sn_shot *shot = context;
    double(*target)[3] = (double(*)[3])shot->pin_target;
    sn_pins_targets(&shot->pins, frame_at(shot->scene, time), target);
    for (sn_local i = 0; i < shot->pins.n_held; i++)
        for (int d = 0; d < 3; d++)
            x[3 * shot->pins.node[i] + d] = target[i][d];
}

static void move_bones(void *context, double time)
{
    sn_shot *shot = context;
    sn_bones_aim(&shot->bones, frame_at(shot->scene, time), &shot->multigrid.ties.level[0]);
}

/* The elements' damping, or NULL if there is none anywhere. */
static const double *damping_of(const sn_shot *shot)
{
    const sn_octree *tree = &shot->model.forest.level[0];
    int any = 0;
    for (sn_local e = 0; e < tree->n_elements; e++)
        any = any || shot->materials.damping[e] > 0;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, tree->comm);
    return any ? shot->materials.damping : NULL;
}

static sn_status build_system(sn_shot *shot)
{
    sn_octree *tree = &shot->model.forest.level[0];
    double *mass = SN_NEW(double, tree->n_nodes);
    sn_nodal_masses(tree, shot->materials.density, mass);
    const sn_linear_settings *linear = &shot->scene->solver.linear;
    sn_multigrid_settings settings = SN_MULTIGRID_DEFAULTS;
    settings.smoother = linear->smoother;
    settings.degree = linear->degree;
    settings.precision = linear->precision;
    sn_status status =
        sn_multigrid_create(&shot->model.forest, shot->materials.mu, shot->materials.lambda, mass,
                            shot->pins.pinned, settings, &shot->multigrid);
    sn_free(mass);
    if (status != SN_OK || shot->bones.moving.count == 0)
        return status;
    status = sn_multigrid_set_ties(&shot->multigrid, shot->bones.springs.data,
                                   shot->bones.springs.count);
    sn_vector_free(&shot->bones.springs); /* the system has its own */
    return status;
}

static sn_status start(sn_shot *shot)
{
    const sn_scene *scene = shot->scene;
    sn_octree *tree = &shot->model.forest.level[0];
    double *rest = sn_field_new_f64(tree);
    sn_octree_node_positions(tree, (double(*)[3])rest);
    shot->pin_target = SN_NEW(double, 3 * (size_t)shot->pins.n_held);
    shot->stepper = sn_stepper_create(&shot->multigrid, &scene->solver, damping_of(shot),
                                      scene->gravity, move_pins, shot, rest);
    sn_free(rest);
    if (shot->bones.moving.count > 0) {
        sn_stepper_set_ties(&shot->stepper, move_bones, shot);
        move_bones(shot, 0);
    }
    SN_TRY(sn_embedding_create(tree, shot->model.solid, &shot->embedding));
    sn_deformed_create(&shot->embedding, &shot->surface);
    shot->vertex = SN_NEW(double[3], shot->embedding.n);
    SN_TRY(sn_contacts_create(scene, tree, &shot->embedding, &shot->contacts));
    SN_TRY(sn_contacts_start(&shot->contacts, shot->stepper.time, shot->stepper.x));
    if (sn_contacts_possible(&shot->contacts))
        sn_stepper_set_contacts(&shot->stepper, &shot->contacts.source);
    return SN_OK;
}

static sn_status build(MPI_Comm comm, sn_shot *shot)
{
    SN_TRY(sn_model_create(comm, shot->scene, &shot->model));
    const sn_octree *tree = &shot->model.forest.level[0];
    SN_TRY(sn_materials_create(shot->scene, tree, &shot->materials));
    SN_TRY(sn_pins_create(shot->scene, tree, &shot->pins));
    SN_TRY(sn_bones_create(shot->scene, tree, &shot->bones));
    SN_TRY(build_system(shot));
    return start(shot);
}

sn_status sn_shot_create(MPI_Comm comm, const sn_scene *scene, sn_shot *shot)
{
    *shot =
        (sn_shot){.scene = scene, .progress = {.frame = scene->frames.first - 1, .whole = true}};
    sn_phase_begin("shot/build");
    sn_status status = build(comm, shot);
    sn_phase_end("shot/build");
    if (status != SN_OK)
        sn_shot_free(shot);
    return status;
}

void sn_shot_free(sn_shot *shot)
{
    sn_contacts_free(&shot->contacts);
    if (shot->surface.body)
        sn_deformed_free(&shot->surface);
    if (shot->embedding.tree)
        sn_embedding_free(&shot->embedding);
    sn_stepper_free(&shot->stepper);
    if (shot->multigrid.n_levels)
        sn_multigrid_free(&shot->multigrid);
    sn_bones_free(&shot->bones);
    sn_pins_free(&shot->pins);
    sn_materials_free(&shot->materials);
    if (shot->model.bodies.body)
        sn_model_free(&shot->model);
    sn_free(shot->vertex);
    sn_free(shot->pin_target);
    *shot = (sn_shot){0};
}

/* What the surface tells of the positions now. */
static void certify_surface(sn_shot *shot, sn_frame_row *row)
{
    sn_octree *tree = &shot->model.forest.level[0];
    sn_exchange_begin(&tree->exchange, shot->stepper.x, SN_NODE_REALS * sizeof(double));
    sn_exchange_end(&tree->exchange);
    sn_embedding_evaluate(&shot->embedding, shot->stepper.x, shot->vertex);
    const double(*vertex)[3] = (const double(*)[3])shot->vertex;
    row->digest = sn_embedding_digest(&shot->embedding, vertex);
    sn_deformed_update(&shot->surface, vertex);
    row->volume = sn_deformed_volume(&shot->surface);
}

static void begin_frame(sn_shot *shot, int frame)
{
    sn_frame_progress *p = &shot->progress;
    if (p->frame == frame && !p->whole)
        return;
    *p = (sn_frame_progress){.frame = frame, .from = shot->stepper.time};
}

/* Where a dynamic shot starts there is nothing to solve. */
static void stay_at_start(sn_shot *shot)
{
    sn_frame_progress *p = &shot->progress;
    p->result.deformation = sn_operator_update(&shot->multigrid.level[0].op, shot->stepper.x, NULL);
    p->whole = true;
}

static void advance_substep(sn_shot *shot)
{
    sn_frame_progress *p = &shot->progress;
    int substeps = shot->scene->frames.substeps, i = p->substeps + 1;
    double time = time_of(shot->scene, p->frame);
    double to = i == substeps ? time : p->from + (time - p->from) * i / substeps;
    sn_newton_result one = sn_stepper_advance(&shot->stepper, to), *all = &p->result;
    all->newton += one.newton;
    all->linear += one.linear;
    all->residual = fmax(all->residual, one.residual);
    all->deformation = one.deformation;
    all->end = one.end;
    all->status = one.status;
    if (one.end == SN_NEWTON_FAILED) { /* what was tried last is not where we are */
        all->deformation = sn_operator_update(&shot->multigrid.level[0].op, shot->stepper.x, NULL);
        return;
    }
    p->substeps = i;
    p->whole = i == substeps;
}

sn_status sn_shot_step(sn_shot *shot, int frame)
{
    double began = sn_timer_elapsed();
    bool quasistatic = shot->scene->solver.mode == SN_MODE_QUASISTATIC;
    sn_phase_begin("shot/solve");
    begin_frame(shot, frame);
    if (frame == shot->scene->frames.first && !quasistatic)
        stay_at_start(shot);
    else
        advance_substep(shot);
    sn_phase_end("shot/solve");
    sn_frame_progress *p = &shot->progress;
    p->seconds += sn_timer_elapsed() - began;
    if (p->result.status != SN_OK)
        return p->result.status;
    if (p->result.end == SN_NEWTON_FAILED)
        return SN_FAIL(SN_INACCURATE,
                       "frame %d could not be solved: no step succeeds beyond %g s, residual %g",
                       frame, shot->stepper.time, p->result.residual);
    return SN_OK;
}

void sn_shot_certify(sn_shot *shot, sn_frame_row *row)
{
    double began = sn_timer_elapsed();
    const sn_frame_progress *p = &shot->progress;
    const sn_newton_result *r = &p->result;
    *row = (sn_frame_row){.frame = p->frame,
                          .time = time_of(shot->scene, p->frame),
                          .newton = r->newton,
                          .linear = r->linear,
                          .residual = r->residual,
                          .elastic_energy = r->deformation.energy,
                          .kinetic_energy = sn_stepper_kinetic_energy(&shot->stepper),
                          .min_det_f = r->deformation.least_determinant,
                          .inverted = r->deformation.inverted};
    certify_surface(shot, row);
    row->bone_error = sn_spring_set_elongation(&shot->multigrid.ties.level[0], shot->stepper.x);
    row->max_penetration = sn_contacts_deepest(&shot->contacts);
    row->penetrated_cells = sn_contacts_deepest_cells(&shot->contacts);
    row->seconds = p->seconds + sn_timer_elapsed() - began;
}

sn_status sn_shot_advance(sn_shot *shot, int frame, sn_frame_row *row)
{
    sn_status status;
    do
        status = sn_shot_step(shot, frame);
    while (status == SN_OK && !shot->progress.whole);
    sn_shot_certify(shot, row);
    return status;
}
