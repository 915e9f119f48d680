#include "shot/structure.h"

#include "base/array.h"
#include "model/masses.h"
#include "model/stays.h"
#include "model/velocities.h"
#include "solve/newton.h"

static bool is_damped(const sn_materials *materials, const sn_octree *tree)
{
    int any = 0;
    for (sn_local e = 0; e < tree->n_elements; e++)
        any = any || sn_material_at(materials, SN_MATERIAL_DAMPING, (size_t)e) > 0;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, tree->comm);
    return any;
}

/* The one place that makes preconditioners. Multigrid serves all methods: conjugate gradients alone
 * do not ask it. */
static sn_status make_preconditioner(const sn_scene *scene, sn_model *model, sn_structure *s,
                                     sn_preconditioner *preconditioner)
{
    sn_level_groups groups = sn_multigrid_groups(&scene->multigrid, &model->forest);
    SN_TRY(sn_levels_create(&model->forest, &groups, &s->system, &s->levels));
    SN_TRY(sn_multigrid_create(&model->forest, &s->levels, scene->multigrid, &s->multigrid));
    *preconditioner = sn_multigrid_preconditioner(&s->multigrid);
    return SN_OK;
}

static sn_status build_system(const sn_scene *scene, sn_model *model, sn_structure *s)
{
    sn_octree *tree = &model->forest.level[0];
    double *mass = SN_NEW(double, tree->n_nodes);
    double *density = sn_materials_of_all(&s->materials, SN_MATERIAL_DENSITY);
    const float(*centroid)[3] = s->materials.centroid;
    sn_nodal_masses(tree, density, s->materials.fraction, centroid, mass);
    sn_free(density);
    sn_status status =
        sn_system_create(tree, s->materials.law, s->materials.parameters, mass, s->pins.pinned,
                         NULL, sn_multigrid_is_single(&scene->multigrid), &s->system);
    if (status == SN_OK)
        sn_operator_set_points(&s->system.op, centroid);
    sn_free(mass);
    sn_materials_drop_parameters(&s->materials);
    if (status == SN_OK)
        sn_operator_overlook(&s->system.op, s->materials.fraction, SN_LEAST_STIFFNESS);
    return status;
}

/* What minimises each step's potential: the one place that makes methods. */
static sn_method make_method(const sn_scene *scene, sn_preconditioner preconditioner,
                             const sn_interrupt *interrupt)
{
    return sn_newton_create((sn_newton){.settings = scene->solver.newton,
                                        .linear = scene->solver.linear,
                                        .preconditioner = preconditioner,
                                        .interrupt = interrupt});
}

static sn_status build_solver(const sn_scene *scene, sn_model *model, sn_structure *s)
{
    sn_preconditioner preconditioner;
    SN_TRY(make_preconditioner(scene, model, s, &preconditioner));
    s->method = make_method(scene, preconditioner, &s->interrupt);
    return SN_OK;
}

static sn_status build_surface(sn_model *model, sn_structure *s)
{
    SN_TRY(sn_embedding_create(&model->forest.level[0], model->solid, &model->forest.parts,
                               &s->embedding));
    sn_deformed_create(&s->embedding, &s->surface);
    s->vertex = SN_NEW(double[3], s->embedding.n);
    return SN_OK;
}

static sn_status add_bones(const sn_scene *scene, double time, sn_structure *s)
{
    if (s->bones.list.bones.count == 0)
        return SN_OK;
    s->tie_slot = sn_sources_add(&s->sources, sn_bone_source_of(&s->bone_source));
    SN_TRY(sn_bones_tie(&s->bones, &s->system, s->tie_slot));
    s->bone_source = (sn_bone_source){.bones = &s->bones,
                                      .frames = &scene->frames,
                                      .ties = sn_system_springs(&s->system, s->tie_slot)};
    return sn_bone_source_move(&s->bone_source, time);
}

/* The caller frees it. */
static double *moduli_of(const sn_scene *scene)
{
    double *young = SN_NEW(double, scene->bodies.count);
    for (size_t b = 0; b < scene->bodies.count; b++)
        young[b] = scene->bodies.data[b].material.young;
    return young;
}

static sn_contact_parts contact_parts(const sn_scene *scene, const double *young,
                                      const sn_interrupt *interrupt)
{
    return (sn_contact_parts){.colliders = scene->colliders.data,
                              .n_colliders = scene->colliders.count,
                              .flesh = &scene->self_collision,
                              .frames = &scene->frames,
                              .origin = &scene->origin,
                              .young = young,
                              .interrupt = interrupt};
}

static bool has_begun(const sn_scene *scene, const sn_shot_state *state)
{
    return state->progress.frame >= sn_frames_start(&scene->frames);
}

/* A shot that has begun goes on with the contacts that it had. */
static sn_status start_contacts(const sn_scene *scene, sn_shot_state *state, sn_contacts *contacts)
{
    sn_state *nodes = &state->nodes;
    return has_begun(scene, state) ? sn_contacts_go_on(contacts, nodes->time, nodes->x)
                                   : sn_contacts_start(contacts, nodes->time, nodes->x);
}

static sn_status add_contacts(const sn_scene *scene, sn_octree *tree, sn_shot_state *state,
                              sn_structure *s)
{
    double *young = moduli_of(scene);
    sn_contact_parts parts = contact_parts(scene, young, &s->interrupt);
    sn_status status =
        sn_contacts_create(&parts, tree, &s->embedding, &state->contacts, &s->contacts);
    sn_free(young);
    SN_TRY(status);
    SN_TRY(start_contacts(scene, state, &s->contacts));
    if (sn_contacts_possible(&s->contacts))
        s->contact_slot = sn_sources_add(&s->sources, sn_contacts_source(&s->contacts));
    return SN_OK;
}

/* They are made once: a step has nothing to ask of them. */
static sn_status add_stays(sn_structure *s)
{
    s->stay_slot = sn_sources_add(&s->sources, (sn_source){0});
    double *young = sn_materials_of_all(&s->materials, SN_MATERIAL_YOUNG);
    sn_status status = sn_stays_tie(&s->system, s->stay_slot, s->materials.fraction, young);
    sn_free(young);
    return status;
}

static sn_status add_sources(const sn_scene *scene, sn_octree *tree, sn_shot_state *state,
                             sn_structure *s)
{
    s->pin_source = sn_pin_source_create(&s->pins, &scene->frames);
    sn_sources_add(&s->sources, sn_pin_source_of(&s->pin_source));
    SN_TRY(add_bones(scene, state->nodes.time, s));
    SN_TRY(add_contacts(scene, tree, state, s));
    return add_stays(s);
}

static void make_stepper(const sn_scene *scene, sn_state *state, sn_structure *s)
{
    const double *g = scene->gravity;
    sn_stepper_parts parts = {
        .system = &s->system,
        .method = s->method,
        .sources = &s->sources,
        .mode = scene->solver.mode,
        .integrator = scene->solver.integrator,
        .damped = is_damped(&s->materials, s->system.tree),
        .damping = {s->materials.value[SN_MATERIAL_DAMPING], s->materials.kind},
        .gravity = {g[0], g[1], g[2]},
        .state = state};
    s->stepper = (sn_stepper){.parts = parts};
}

/* One that has begun goes on with the velocities that it had; a quasistatic one has none. */
static void start_velocities(const sn_scene *scene, sn_shot_state *state, const sn_structure *s)
{
    if (has_begun(scene, state) || scene->solver.mode == SN_MODE_QUASISTATIC)
        return;
    const sn_system *system = &s->system;
    sn_initial_velocities(scene, system->tree, system->mass, system->pinned,
                          (const double(*)[3])state->nodes.x, (double(*)[3])state->nodes.v);
}

static sn_status build(const sn_scene *scene, sn_model *model, sn_shot_state *state,
                       sn_structure *s)
{
    sn_octree *tree = &model->forest.level[0];
    SN_TRY(sn_materials_create(scene, model, &s->materials));
    SN_TRY(sn_pins_create(scene, model, &s->pins));
    SN_TRY(sn_bones_create(scene, model, &s->bones));
    if (!has_begun(scene, state))
        SN_TRY(sn_bones_warn_of_leaps(scene, tree, &s->bones));
    SN_TRY(build_system(scene, model, s));
    SN_TRY(build_solver(scene, model, s));
    SN_TRY(build_surface(model, s));
    SN_TRY(add_sources(scene, tree, state, s));
    /* Now rather than in the first step: it takes room that vectors of a step will have. */
    SN_TRY(sn_levels_update_springs(&s->levels));
    sn_levels_settle_springs(&s->levels, s->stay_slot);
    start_velocities(scene, state, s);
    make_stepper(scene, &state->nodes, s);
    return SN_OK;
}

sn_status sn_structure_create(const sn_scene *scene, sn_model *model, sn_shot_state *state,
                              sn_structure *s)
{
    *s = (sn_structure){.tie_slot = -1, .contact_slot = -1, .stay_slot = -1};
    sn_status status = build(scene, model, state, s);
    if (status != SN_OK)
        sn_structure_free(s);
    return status;
}

void sn_structure_free(sn_structure *s)
{
    sn_pin_source_free(&s->pin_source);
    sn_contacts_free(&s->contacts);
    if (s->surface.body)
        sn_deformed_free(&s->surface);
    if (s->embedding.tree)
        sn_embedding_free(&s->embedding);
    sn_free(s->vertex);
    sn_method_free(&s->method);
    sn_multigrid_free(&s->multigrid);
    sn_levels_free(&s->levels);
    sn_system_free(&s->system);
    sn_bones_free(&s->bones);
    sn_pins_free(&s->pins);
    sn_materials_free(&s->materials);
    *s = (sn_structure){0};
}

static sn_spring_set *springs_in(sn_structure *s, int slot)
{
    static sn_spring_set none; /* has nothing, and nothing is written to it */
    return slot >= 0 ? sn_system_springs(&s->system, slot) : &none;
}

sn_spring_set *sn_structure_ties(sn_structure *s)
{
    return springs_in(s, s->tie_slot);
}

sn_spring_set *sn_structure_touches(sn_structure *s)
{
    return springs_in(s, s->contact_slot);
}

sn_spring_set *sn_structure_stays(sn_structure *s)
{
    return springs_in(s, s->stay_slot);
}
