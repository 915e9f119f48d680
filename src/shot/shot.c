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
    return status;
}

static sn_status start(sn_shot *shot)
{
    const sn_scene *scene = shot->scene;
    const sn_octree *tree = &shot->model.forest.level[0];
    double *rest = sn_field_new_f64(tree);
    sn_octree_node_positions(tree, (double(*)[3])rest);
    shot->pin_target = SN_NEW(double, 3 * (size_t)shot->pins.n_held);
    shot->stepper = sn_stepper_create(&shot->multigrid, &scene->solver, damping_of(shot),
                                      scene->gravity, move_pins, shot, rest);
    sn_free(rest);
    SN_TRY(sn_embedding_create(tree, shot->model.solid, &shot->embedding));
    sn_deformed_create(&shot->embedding, &shot->surface);
    shot->vertex = SN_NEW(double[3], shot->embedding.n);
    return SN_OK;
}

static sn_status build(MPI_Comm comm, sn_shot *shot)
{
    SN_TRY(sn_model_create(comm, shot->scene, &shot->model));
    const sn_octree *tree = &shot->model.forest.level[0];
    SN_TRY(sn_materials_create(shot->scene, tree, &shot->materials));
    SN_TRY(sn_pins_create(shot->scene, tree, &shot->pins));
    SN_TRY(build_system(shot));
    return start(shot);
}

sn_status sn_shot_create(MPI_Comm comm, const sn_scene *scene, sn_shot *shot)
{
    *shot = (sn_shot){.scene = scene};
    sn_phase_begin("shot/build");
    sn_status status = build(comm, shot);
    sn_phase_end("shot/build");
    if (status != SN_OK)
        sn_shot_free(shot);
    return status;
}

void sn_shot_free(sn_shot *shot)
{
    if (shot->surface.body)
        sn_deformed_free(&shot->surface);
    if (shot->embedding.tree)
        sn_embedding_free(&shot->embedding);
    sn_stepper_free(&shot->stepper);
    if (shot->multigrid.n_levels)
        sn_multigrid_free(&shot->multigrid);
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

/* Through the substeps of a frame; the worst residual counts. */
static sn_newton_result advance_substeps(sn_shot *shot, double time)
{
    sn_stepper *s = &shot->stepper;
    int substeps = shot->scene->frames.substeps;
    double from = s->time;
    sn_newton_result all = {0};
    for (int i = 1; i <= substeps; i++) {
        double to = i == substeps ? time : from + (time - from) * i / substeps;
        sn_newton_result one = sn_stepper_advance(s, to);
        all.newton += one.newton;
        all.linear += one.linear;
        all.residual = fmax(all.residual, one.residual);
        all.deformation = one.deformation;
        all.end = one.end;
        if (one.end == SN_NEWTON_FAILED)
            break;
    }
    return all;
}

sn_status sn_shot_advance(sn_shot *shot, int frame, sn_frame_row *row)
{
    double began = sn_timer_elapsed(), time = time_of(shot->scene, frame);
    bool at_start = frame == shot->scene->frames.first;
    bool quasistatic = shot->scene->solver.mode == SN_MODE_QUASISTATIC;
    sn_phase_begin("shot/solve");
    sn_newton_result r = {0};
    if (!at_start || quasistatic)
        r = advance_substeps(shot, time);
    else
        r.deformation = sn_operator_update(&shot->multigrid.level[0].op, shot->stepper.x, NULL);
    if (r.end == SN_NEWTON_FAILED) /* what was tried last is not where we are */
        r.deformation = sn_operator_update(&shot->multigrid.level[0].op, shot->stepper.x, NULL);
    sn_phase_end("shot/solve");
    *row = (sn_frame_row){.frame = frame,
                          .time = time,
                          .newton = r.newton,
                          .linear = r.linear,
                          .residual = r.residual,
                          .elastic_energy = r.deformation.energy,
                          .kinetic_energy = sn_stepper_kinetic_energy(&shot->stepper),
                          .min_det_f = r.deformation.least_determinant,
                          .inverted = r.deformation.inverted};
    certify_surface(shot, row);
    row->seconds = sn_timer_elapsed() - began;
    if (r.end == SN_NEWTON_FAILED)
        return SN_FAIL(SN_INACCURATE,
                       "frame %d could not be solved: no step succeeds beyond %g s, residual %g",
                       frame, shot->stepper.time, r.residual);
    return SN_OK;
}
