#include "cli/info.h"

#include "base/array.h"
#include "cli/info_mesh.h"
#include "cli/json.h"
#include "model/closeness.h"

#include <inttypes.h>

/* One rank's share of one level. */
typedef struct {
    int64_t octants, elements, nodes, ghost_elements, ghost_nodes, neighbours, bytes;
} share;

enum { SHARE_NUMBERS = sizeof(share) / sizeof(int64_t) };

typedef struct {
    sn_octree_counts counts;
    share *rank; /* of every rank; on rank 0 only */
    int ranks;   /* with octants */
    double imbalance;
    int64_t bytes;
    uint64_t digest;
} level_summary;

typedef struct {
    int size, n_levels;
    level_summary level[SN_MAX_LEVELS];
    uint64_t digest;
    double bytes_per_element; /* all levels together, for each finest element */
    double *volume;           /* of each body's elements */
    sn_close_parts close;
} summary;

static share share_of(const sn_octree *tree)
{
    return (share){tree->n_octants,
                   tree->n_elements,
                   tree->n_nodes,
                   tree->n_ghost_elements,
                   tree->n_ghost_nodes,
                   sn_exchange_neighbours(&tree->exchange),
                   (int64_t)sn_octree_memory(tree)};
}

static level_summary summarise_level(MPI_Comm comm, const sn_octree *tree)
{
    int size;
    MPI_Comm_size(comm, &size);
    share mine = share_of(tree);
    level_summary s = {.counts = sn_octree_count(tree), .rank = SN_NEW_ZERO(share, size)};
    MPI_Gather(&mine, SHARE_NUMBERS, MPI_INT64_T, s.rank, SHARE_NUMBERS, MPI_INT64_T, 0, comm);
    int64_t most = 0;
    for (int r = 0; r < size; r++) {
        s.ranks += s.rank[r].octants > 0;
        s.bytes += s.rank[r].bytes;
        most = s.rank[r].elements > most ? s.rank[r].elements : most;
    }
    s.imbalance = s.counts.elements ? (double)most * s.ranks / (double)s.counts.elements : 1;
    s.digest = sn_octree_digest(tree);
    return s;
}

static summary summarise(MPI_Comm comm, const sn_model *model)
{
    summary s = {.n_levels = model->forest.n_levels, .volume = SN_NEW(double, model->bodies.n)};
    MPI_Comm_size(comm, &s.size);
    int64_t bytes = 0;
    for (int l = 0; l < s.n_levels; l++) {
        s.level[l] = summarise_level(comm, &model->forest.level[l]);
        bytes += s.level[l].bytes;
    }
    s.bytes_per_element = (double)bytes / (double)s.level[0].counts.elements;
    s.digest = sn_hierarchy_digest(&model->forest);
    for (int b = 0; b < model->bodies.n; b++)
        s.volume[b] = sn_model_volume(model, b);
    s.close = sn_model_close_parts(model);
    return s;
}

static void free_summary(summary *s)
{
    for (int l = 0; l < s->n_levels; l++)
        sn_free(s->level[l].rank);
    sn_free(s->volume);
}

static void print_bodies(const sn_scene *scene, const sn_model *model, const summary *s)
{
    printf("%-16s %10s %10s %6s  %-18s %12s %12s\n", "body", "triangles", "cell", "root", "cells",
           "mesh volume", "octree volume");
    for (int b = 0; b < model->bodies.n; b++) {
        const sn_body *body = &model->bodies.body[b];
        char cells[32];
        snprintf(cells, sizeof cells, "%d x %d x %d", body->cells[0], body->cells[1],
                 body->cells[2]);
        printf("%-16s %10" PRId64 " %10.4g   2^%-2d  %-18s %12.5g %12.5g%s\n",
               scene->bodies.data[b].name, model->mesh[b].view.n_triangles, body->cell,
               body->root_height, cells, model->report[b].volume, s->volume[b],
               model->report[b].closed_chain ? "" : "  (open mesh)");
    }
}

static void print_levels(const summary *s)
{
    printf("\n%-5s %12s %12s %12s %12s %12s %6s %9s %13s  %s\n", "level", "octants", "elements",
           "nodes", "hanging", "boundary", "ranks", "imbalance", "bytes/octant", "digest");
    for (int l = 0; l < s->n_levels; l++) {
        const level_summary *v = &s->level[l];
        printf("%-5d %12" PRId64 " %12" PRId64 " %12" PRId64 " %12" PRId64 " %12" PRId64
               " %6d %9.3f %13.1f  %016" PRIx64 "\n",
               l, v->counts.octants, v->counts.elements, v->counts.nodes, v->counts.hanging_nodes,
               v->counts.boundary_nodes, v->ranks, v->imbalance,
               (double)v->bytes / (double)v->counts.octants, v->digest);
    }
}

/* The finest level by rank, and the ranks' bytes on all levels. */
static void print_ranks(const summary *s)
{
    printf("\n%-5s %12s %12s %12s %14s %12s %10s %9s %10s\n", "rank", "octants", "elements",
           "nodes", "ghost elements", "ghost nodes", "neighbours", "load", "MB");
    double average = (double)s->level[0].counts.elements / s->level[0].ranks;
    for (int r = 0; r < s->size; r++) {
        const share *v = &s->level[0].rank[r];
        int64_t bytes = 0;
        for (int l = 0; l < s->n_levels; l++)
            bytes += s->level[l].rank[r].bytes;
        printf("%-5d %12" PRId64 " %12" PRId64 " %12" PRId64 " %14" PRId64 " %12" PRId64
               " %10" PRId64 " %9.3f %10.2f\n",
               r, v->octants, v->elements, v->nodes, v->ghost_elements, v->ghost_nodes,
               v->neighbours, (double)v->elements / average, (double)bytes * 0x1p-20);
    }
}

static void print_close_parts(const sn_scene *scene, const sn_close_parts *close)
{
    if (close->cells == 0)
        return;
    printf("\n%" PRId64 " cells hold more than one part of a body, %" PRId64
           " of them parts that are not joined next door\n",
           close->cells, close->apart);
    if (close->n > 0)
        printf("%-16s %10s %14s   %s\n", "the closest", "gap", "separated by", "at");
    for (int i = 0; i < close->n; i++) {
        const sn_close_place *p = &close->place[i];
        printf("%-16s %10.4g %14.4g   (%.5g, %.5g, %.5g)\n", scene->bodies.data[p->body].name,
               p->gap, sn_separating_cell(p->gap), p->place[0], p->place[1], p->place[2]);
    }
}

static void print_tables(const sn_scene *scene, const sn_model *model, const summary *s)
{
    printf("scene %s, %d rank%s\n", scene->name, s->size, s->size == 1 ? "" : "s");
    printf("frames %d to %d", scene->frames.first, scene->frames.last);
    if (scene->frames.preroll > 0)
        printf(", after %d of preroll", scene->frames.preroll);
    printf("\n\n");
    print_bodies(scene, model, s);
    print_levels(s);
    print_ranks(s);
    print_close_parts(scene, &s->close);
    for (int b = 0; b < model->bodies.n; b++)
        sn_info_print_crossings(scene->bodies.data[b].name, &model->mesh[b].view);
    printf("\n%.1f bytes per element for the topology of all levels\ndigest %016" PRIx64 "\n",
           s->bytes_per_element, s->digest);
}

static void print_json_bodies(const sn_scene *scene, const sn_model *model, const summary *s)
{
    printf("  \"bodies\": [");
    for (int b = 0; b < model->bodies.n; b++) {
        const sn_body *body = &model->bodies.body[b];
        printf("%s\n    {\"name\": ", b ? "," : "");
        sn_print_json_text(scene->bodies.data[b].name);
        printf(", \"triangles\": %" PRId64 ", \"closed\": %s, \"mesh_volume\": %.17g, "
               "\"octree_volume\": %.17g, \"cell\": %.17g, \"root_height\": %d",
               model->mesh[b].view.n_triangles, model->report[b].closed_chain ? "true" : "false",
               model->report[b].volume, s->volume[b], body->cell, body->root_height);
        sn_info_print_json_crossings(&model->mesh[b].view);
        printf("}");
    }
    printf("\n  ],\n");
}

static void print_json_close_parts(const sn_scene *scene, const sn_close_parts *close)
{
    printf("  \"cells_of_several_parts\": %" PRId64 ",\n  \"cells_of_parts_apart\": %" PRId64
           ",\n  \"closest_parts\": [",
           close->cells, close->apart);
    for (int i = 0; i < close->n; i++) {
        const sn_close_place *p = &close->place[i];
        printf("%s\n    {\"body\": ", i ? "," : "");
        sn_print_json_text(scene->bodies.data[p->body].name);
        printf(", \"place\": [%.17g, %.17g, %.17g], \"gap\": %.17g, \"cell\": %.17g}", p->place[0],
               p->place[1], p->place[2], p->gap, sn_separating_cell(p->gap));
    }
    printf("%s],\n", close->n ? "\n  " : "");
}

static void print_json_rank(const share *v, int rank)
{
    printf("%s\n        {\"rank\": %d, \"octants\": %" PRId64 ", \"elements\": %" PRId64
           ", \"nodes\": %" PRId64 ", \"ghost_elements\": %" PRId64 ", \"ghost_nodes\": %" PRId64
           ", \"neighbours\": %" PRId64 ", \"bytes\": %" PRId64 "}",
           rank ? "," : "", rank, v->octants, v->elements, v->nodes, v->ghost_elements,
           v->ghost_nodes, v->neighbours, v->bytes);
}

static void print_json_levels(const summary *s)
{
    printf("  \"levels\": [");
    for (int l = 0; l < s->n_levels; l++) {
        const level_summary *v = &s->level[l];
        printf("%s\n    {\"level\": %d, \"octants\": %" PRId64 ", \"elements\": %" PRId64
               ", \"nodes\": %" PRId64 ", \"hanging_nodes\": %" PRId64
               ", \"boundary_nodes\": %" PRId64 ", \"bytes\": %" PRId64
               ", \"imbalance\": %.6g, \"digest\": \"%016" PRIx64 "\",\n      \"ranks\": [",
               l ? "," : "", l, v->counts.octants, v->counts.elements, v->counts.nodes,
               v->counts.hanging_nodes, v->counts.boundary_nodes, v->bytes, v->imbalance,
               v->digest);
        for (int r = 0; r < s->size; r++)
            print_json_rank(&v->rank[r], r);
        printf("]}");
    }
    printf("\n  ]\n");
}

static void print_json(const sn_scene *scene, const sn_model *model, const summary *s)
{
    const sn_octree_counts *finest = &s->level[0].counts;
    printf("{\n  \"name\": ");
    sn_print_json_text(scene->name);
    printf(",\n  \"frames\": {\"first\": %d, \"last\": %d, \"preroll\": %d}", scene->frames.first,
           scene->frames.last, scene->frames.preroll);
    printf(",\n  \"digest\": \"%016" PRIx64 "\",\n  \"octants\": %" PRId64
           ",\n  \"elements\": %" PRId64 ",\n  \"nodes\": %" PRId64
           ",\n  \"bytes_per_element\": %.6g,\n  \"ranks\": %d,\n",
           s->digest, finest->octants, finest->elements, finest->nodes, s->bytes_per_element,
           s->size);
    print_json_bodies(scene, model, s);
    print_json_close_parts(scene, &s->close);
    print_json_levels(s);
    printf("}\n");
}

void sn_info_print(MPI_Comm comm, const sn_scene *scene, const sn_model *model, bool json)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    summary s = summarise(comm, model);
    if (rank == 0)
        (json ? print_json : print_tables)(scene, model, &s);
    free_summary(&s);
}
