#include "shot/shot.h"

#include "base/array.h"
#include "base/timer.h"
#include "base/work.h"

#include <math.h>

static double time_of(const sn_scene *scene, int frame)
{
    return (frame - scene->frames.first) / scene->frames.fps;
}

static sn_status open(MPI_Comm comm, sn_shot *shot)
{
    SN_TRY(sn_model_create(comm, shot->scene, &shot->model));
    shot->state = sn_shot_state_at_rest(&shot->model.forest.level[0], &shot->scene->frames);
    return SN_OK;
}

static sn_status free_if_failed(sn_shot *shot, sn_status status)
{
    if (status != SN_OK)
        sn_shot_free(shot);
    return status;
}

sn_status sn_shot_open(MPI_Comm comm, const sn_scene *scene, sn_shot *shot)
{
    *shot = (sn_shot){.scene = scene};
    sn_phase_begin("shot/build");
    sn_status status = open(comm, shot);
    sn_phase_end("shot/build");
    return free_if_failed(shot, status);
}

sn_status sn_shot_build(sn_shot *shot)
{
    sn_structure_free(&shot->built);
    sn_phase_begin("shot/build");
    sn_status status = sn_structure_create(shot->scene, &shot->model, &shot->state, &shot->built);
    sn_phase_end("shot/build");
    return status;
}

sn_status sn_shot_create(MPI_Comm comm, const sn_scene *scene, sn_shot *shot)
{
    SN_TRY(sn_shot_open(comm, scene, shot));
    return free_if_failed(shot, sn_shot_build(shot));
}

static sn_status take_over(sn_shot *before, sn_shot *shot)
{
    MPI_Comm comm = before->model.forest.level[0].comm;
    sn_structure_free(&before->built);
    SN_TRY(sn_model_create(comm, shot->scene, &shot->model));
    SN_TRY(sn_shot_state_move(&before->state, &before->model, &shot->model, &shot->state));
    sn_shot_state_free(&before->state);
    return sn_shot_build(shot);
}

sn_status sn_shot_go_on(sn_shot *before, const sn_scene *scene, sn_shot *shot)
{
    *shot = (sn_shot){.scene = scene};
    return free_if_failed(shot, take_over(before, shot));
}

void sn_shot_free(sn_shot *shot)
{
    sn_structure_free(&shot->built);
    sn_shot_state_free(&shot->state);
    if (shot->model.bodies.body)
        sn_model_free(&shot->model);
    *shot = (sn_shot){0};
}

/* What the surface tells of the positions now. */
static void certify_surface(sn_shot *shot, sn_frame_row *row)
{
    sn_octree *tree = &shot->model.forest.level[0];
    sn_field_fill_ghosts(tree, shot->state.nodes.x);
    sn_embedding_evaluate(&shot->built.embedding, shot->state.nodes.x, shot->built.vertex);
    const double(*vertex)[3] = (const double(*)[3])shot->built.vertex;
    row->digest = sn_embedding_digest(&shot->built.embedding, vertex);
    sn_deformed_update(&shot->built.surface, vertex);
    row->volume = sn_deformed_volume(&shot->built.surface);
}

static void begin_frame(sn_shot *shot, int frame)
{
    sn_frame_progress *p = &shot->state.progress;
    if (p->frame == frame && !p->whole)
        return;
    *p = (sn_frame_progress){.frame = frame, .from = shot->state.nodes.time};
}

/* Where a dynamic shot starts there is nothing to solve. */
static void stay_at_start(sn_shot *shot)
{
    sn_frame_progress *p = &shot->state.progress;
    p->result.deformation = sn_system_inspect(&shot->built.system, shot->state.nodes.x);
    p->whole = true;
}

static sn_status advance_substep(sn_shot *shot)
{
    sn_frame_progress *p = &shot->state.progress;
    int substeps = shot->scene->frames.substeps, i = p->substeps + 1;
    double time = time_of(shot->scene, p->frame);
    double to = i == substeps ? time : p->from + (time - p->from) * i / substeps;
    if (p->way.n == 0)
        p->way = sn_step_way_to(to);
    sn_step_result one = sn_stepper_go(&shot->built.stepper, &p->way), *all = &p->result;
    if (one.status == SN_STOPPED)
        return SN_FAIL(SN_STOPPED, "frame %d was given up", p->frame);
    p->way = (sn_step_way){0};
    all->iterations += one.iterations;
    all->inner += one.inner;
    all->breakdowns += one.breakdowns;
    all->residual = sn_worse(all->residual, one.residual);
    all->friction_excess = sn_worse(all->friction_excess, one.friction_excess);
    all->deformation = one.deformation;
    all->end = one.end;
    all->status = one.status;
    if (one.end == SN_STEP_FAILED) { /* what was tried last is not where we are */
        all->deformation = sn_system_inspect(&shot->built.system, shot->state.nodes.x);
        return SN_OK;
    }
    p->substeps = i;
    p->whole = i == substeps;
    return SN_OK;
}

sn_status sn_shot_step(sn_shot *shot, int frame)
{
    double began = sn_timer_elapsed();
    bool quasistatic = shot->scene->solver.mode == SN_MODE_QUASISTATIC;
    sn_status status = SN_OK;
    sn_phase_begin("shot/solve");
    begin_frame(shot, frame);
    if (frame == sn_frames_start(&shot->scene->frames) && !quasistatic)
        stay_at_start(shot);
    else
        status = advance_substep(shot);
    sn_phase_end("shot/solve");
    sn_frame_progress *p = &shot->state.progress;
    p->seconds += sn_timer_elapsed() - began;
    if (status != SN_OK)
        return status;
    if (p->result.status != SN_OK)
        return p->result.status;
    if (p->result.end == SN_STEP_FAILED && !isfinite(p->result.residual))
        return SN_FAIL(SN_INACCURATE,
                       "frame %d could not be solved: beyond %g s the forces of every step are not "
                       "finite",
                       frame, shot->state.nodes.time);
    if (p->result.end == SN_STEP_FAILED)
        return SN_FAIL(SN_INACCURATE,
                       "frame %d could not be solved: no step succeeds beyond %g s, residual %g",
                       frame, shot->state.nodes.time, p->result.residual);
    return SN_OK;
}

/* Of elements, and of the stays that hold nodes of some of them. */
static double elastic_energy(sn_shot *shot)
{
    return shot->state.progress.result.deformation.energy +
           sn_spring_set_energy(sn_structure_stays(&shot->built), shot->state.nodes.x);
}

void sn_shot_certify(sn_shot *shot, sn_frame_row *row)
{
    double began = sn_timer_elapsed();
    sn_work_begin(SN_WORK_OUTPUT);
    const sn_frame_progress *p = &shot->state.progress;
    const sn_step_result *r = &p->result;
    *row = (sn_frame_row){.frame = p->frame,
                          .time = time_of(shot->scene, p->frame),
                          .newton = r->iterations,
                          .linear = r->inner,
                          .residual = r->residual,
                          .friction_excess = r->friction_excess,
                          .elastic_energy = elastic_energy(shot),
                          .kinetic_energy = sn_state_kinetic_energy(
                              &shot->state.nodes, shot->built.system.tree, shot->built.system.mass),
                          .min_det_f = r->deformation.least_determinant,
                          .inverted = r->deformation.inverted};
    certify_surface(shot, row);
    row->bone_error =
        sn_spring_set_elongation(sn_structure_ties(&shot->built), shot->state.nodes.x);
    row->contact_energy =
        sn_spring_set_energy(sn_structure_touches(&shot->built), shot->state.nodes.x);
    row->max_penetration = sn_contacts_deepest(&shot->built.contacts);
    row->penetrated_cells = sn_contacts_deepest_cells(&shot->built.contacts);
    sn_work_end();
    row->seconds = p->seconds + sn_timer_elapsed() - began;
}

sn_status sn_shot_advance(sn_shot *shot, int frame, sn_frame_row *row)
{
    sn_status status;
    do
        status = sn_shot_step(shot, frame);
    while (status == SN_OK && !shot->state.progress.whole);
    sn_shot_certify(shot, row);
    return status;
}
