#include "plan/weigh.h"

#include "base/array.h"
#include "base/log.h"
#include "base/memory.h"
#include "io/text/temporary_folder.h"
#include "shot/checkpoint/checkpoint.h"
#include "shot/output/frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm comm_of(const sn_shot *shot)
{
    return shot->built.embedding.tree->comm;
}

static double sum_over_ranks(const sn_shot *shot, double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm_of(shot));
    return value;
}

static double elements_of(const sn_shot *shot)
{
    return (double)sn_octree_count(shot->built.embedding.tree).elements;
}

/* ---- Writing ---- */

static bool all_on_one_node(MPI_Comm comm)
{
    MPI_Comm node;
    int size, here;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(comm, &size);
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    return here == size; /* on all ranks or on none */
}

static sn_status write_checkpoint(const sn_shot *shot, const char *folder)
{
    char path[SN_TEMPORARY_FOLDER_BYTES + 32];
    snprintf(path, sizeof path, "%s/checkpoint.h5", folder);
    return sn_checkpoint_write(shot, &(sn_frame_rows){0}, path);
}

static sn_status write_files(sn_shot *shot, int frame, const char *folder)
{
    sn_shot_frames frames;
    sn_shot_frames_create(shot, folder, &frames);
    sn_status status = sn_shot_frames_write(&frames, frame);
    sn_shot_frames_free(&frames);
    if (status == SN_OK && shot->scene->checkpoint.every > 0)
        status = write_checkpoint(shot, folder);
    return status;
}

/* The first time libraries for files take what they keep for good; the second time tells. It is
 * not needed for anything else: where it can't be done the memory is a little more. */
double sn_weigh_writing(sn_shot *shot, int frame)
{
    sn_temporary_folder folder;
    const char *where = getenv("TMPDIR");
    if (!all_on_one_node(comm_of(shot)))
        return 0;
    size_t before = 0;
    sn_status status =
        sn_temporary_folder_make(comm_of(shot), where && *where ? where : "/tmp", &folder);
    bool made = status == SN_OK;
    for (int time = 0; time < 2 && status == SN_OK; time++) {
        sn_process_reset_peak();
        before = sn_process_peak();
        status = write_files(shot, frame, folder.path);
    }
    if (status != SN_OK)
        sn_info("nothing was written in the trial: %s", sn_failure_message());
    if (!made)
        return 0;
    double bytes = sum_over_ranks(shot, (double)sn_process_peak() - (double)before);
    sn_temporary_folder_remove(&folder);
    return bytes / elements_of(shot);
}

/* ---- Contacts ---- */

/* Contact of a vertex with a plane just above it or, where flesh may touch flesh, with the vertex
 * half-way around the surface: such springs are never far from those of a shot. */
static sn_spring contact_of(const sn_shot *shot, size_t at)
{
    const sn_embedding *e = &shot->built.embedding;
    size_t other = (at + e->n / 2) % e->n;
    const double stiffness = 1, depth = 0.1;
    sn_spring spring = {.number = (uint64_t)e->vertex[at],
                        .point = {{.body = sn_embedding_body_of(e, e->vertex[at])}, {.body = -1}},
                        .normal = {0, 1, 0},
                        .normal_stiffness = stiffness,
                        .tangential_stiffness = stiffness,
                        .friction = 1,
                        .one_sided = true};
    sn_embedding_rest(e, e->vertex[at], spring.point[0].at);
    memcpy(spring.target, shot->built.vertex[at], sizeof spring.target);
    spring.target[1] += depth;
    if (shot->scene->self_collision.enabled) {
        spring.point[1].body = sn_embedding_body_of(e, e->vertex[other]);
        sn_embedding_rest(e, e->vertex[other], spring.point[1].at);
        for (int d = 0; d < 3; d++)
            spring.target[d] -= shot->built.vertex[other][d];
    }
    return spring;
}

/* So many of this rank's vertices, evenly spread. */
static sn_spring_list contacts_of(const sn_shot *shot, double share)
{
    sn_spring_list list = {0};
    size_t n = shot->built.embedding.n, wanted = (size_t)ceil(share * (double)n);
    for (size_t i = 0; i < wanted; i++)
        sn_push(&list, contact_of(shot, n * i / wanted));
    return list;
}

/* Makes springs of the list on all levels. */
static sn_status touch(sn_shot *shot, const sn_spring_list *list)
{
    sn_structure *built = &shot->built;
    SN_TRY(sn_system_set_springs(&built->system, built->contact_slot, list->data, list->count));
    sn_system_linearise_springs(&built->system, shot->state.nodes.x);
    return sn_levels_update_springs(&built->levels);
}

static double spring_bytes(const sn_shot *shot, int slot)
{
    size_t bytes = 0;
    for (int l = 0; l < shot->built.levels.n && slot >= 0; l++)
        bytes += sn_spring_set_memory(&sn_levels_at(&shot->built.levels, l)->springs[slot]);
    return (double)bytes;
}

/* What the springs of all slots share: most have fewer than there are stays. */
static double spring_room_bytes(const sn_shot *shot)
{
    size_t bytes = 0;
    for (int l = 0; l < shot->built.levels.n; l++)
        bytes += sn_levels_at(&shot->built.levels, l)->spring_reals * sizeof(double);
    return (double)bytes;
}

static sn_status weigh_contacts(sn_shot *shot, double share, sn_weights_of_shot *w)
{
    sn_spring_list list = contacts_of(shot, share);
    double n = sum_over_ranks(shot, (double)list.count);
    sn_status status = touch(shot, &list); /* locators are made with the first */
    sn_memory_reset_peak();
    if (status == SN_OK)
        status = touch(shot, &list);
    double held = spring_bytes(shot, shot->built.contact_slot);
    double passing = (double)(sn_memory_peak() - sn_memory_held());
    sn_vector_free(&list);
    if (n > 0) {
        w->contact = sum_over_ranks(shot, held) / n + sizeof(sn_contact_record);
        w->new_contact = sum_over_ranks(shot, passing) / n + sizeof(sn_spring);
    }
    return status;
}

static sn_status weigh_search(sn_shot *shot, sn_weights_of_shot *w)
{
    sn_source source = sn_contacts_source(&shot->built.contacts);
    sn_spring_list found = {0};
    sn_field_fill_ghosts(shot->built.system.tree, shot->state.nodes.x);
    sn_memory_reset_peak();
    size_t before = sn_memory_held();
    sn_status status =
        source.find(source.context, shot->state.nodes.time, shot->state.nodes.x, &found);
    w->search = sum_over_ranks(shot, (double)(sn_memory_peak() - before));
    w->contacts = sum_over_ranks(shot, (double)found.count);
    sn_vector_free(&found);
    return status;
}

/* ---- All of it ---- */

static void weigh_held(const sn_shot *shot, sn_weights_of_shot *w)
{
    const sn_levels *levels = &shot->built.levels;
    sn_contacts_bytes contacts = sn_contacts_bytes_of(&shot->built.contacts);
    double transfer = 0, nodes = 0, locators = (double)contacts.elements;
    for (int l = 0; l < levels->n; l++) {
        const sn_system *system = sn_levels_at(levels, l);
        locators += (double)sn_locator_memory(&system->locator);
        if (l + 1 == levels->n)
            break;
        transfer += (double)sn_transfer_memory(&levels->transfer[l]);
        nodes += system->tree->n_nodes;
    }
    nodes = sum_over_ranks(shot, nodes);
    double surface = (double)(sn_embedding_memory(&shot->built.embedding) + contacts.surface) +
                     (double)(shot->built.embedding.n * sizeof *shot->built.vertex);
    w->surface = sum_over_ranks(shot, surface);
    w->ties = sum_over_ranks(shot, spring_bytes(shot, shot->built.tie_slot));
    w->stays =
        sum_over_ranks(shot, spring_bytes(shot, shot->built.stay_slot) + spring_room_bytes(shot));
    w->transfer = nodes > 0 ? sum_over_ranks(shot, transfer) / nodes : 0;
    double above = sum_over_ranks(shot, sn_levels_at(levels, levels->n - 1)->tree->n_nodes);
    double rigid = sum_over_ranks(shot, (double)sn_rigid_memory(&shot->built.multigrid.rigid));
    w->rigid = above > 0 ? rigid / above : 0;
    w->locators = sum_over_ranks(shot, locators) / elements_of(shot);
    w->colliders = (double)contacts.colliders;
    w->vertices = (double)sn_embedding_vertices(&shot->built.embedding);
}

sn_status sn_weigh_shot(sn_shot *shot, double share, sn_weights_of_shot *weights)
{
    if (sn_contacts_possible(&shot->built.contacts)) {
        SN_TRY(weigh_search(shot, weights));
        SN_TRY(weigh_contacts(shot, share, weights));
    }
    weigh_held(shot, weights);
    return SN_OK;
}
