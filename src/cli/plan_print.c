#include "cli/plan.h"

#include "cli/json.h"

#include <inttypes.h>

static const double MEGABYTE = 1e6, GIGABYTE = 1e9, MICROSECOND = 1e-6;

static void print_contacts(const sn_trial *t)
{
    const sn_weights_of_shot *w = &t->weights;
    if (w->new_contact > 0)
        printf(
            "contacts %.3g %% of %.0f vertices are taken to touch something at once (--contacts), "
            "in the\n         trial %.3g %%; each takes %.0f bytes, and %.0f while it is made\n",
            100 * t->contact_share, w->vertices, 100 * w->contacts / w->vertices, w->contact,
            w->new_contact);
}

static void print_assumptions(const sn_scene *scene, const sn_plan *plan)
{
    const sn_trial *t = &plan->trial;
    printf("scene %s: %" PRId64 " elements, %" PRId64 " nodes, %d levels\n\n", scene->name,
           plan->elements, plan->nodes, plan->n ? plan->layout[0].n_levels : 0);
    printf("trial    %d frames of %" PRId64 " elements (cells %.3g times as large) on %d rank%s "
           "with %d thread%s:\n"
           "         %.3g s a frame, of which %.3g s in multigrid cycles; %.1f Newton and %.1f "
           "linear\n"
           "         iterations a frame, taken to be the same for the whole shot\n",
           t->frames, t->elements, t->larger, t->ranks, t->ranks == 1 ? "" : "s", t->threads,
           t->threads == 1 ? "" : "s", t->seconds, t->cycle_seconds, t->newton, t->linear);
    printf("memory   arrays had %.3f of what is counted for them; libraries and what ranks share "
           "had\n         %.0f MB, of which %.0f MB once a node\n",
           plan->rates.peak_to_count, t->other_bytes / MEGABYTE, t->shared_bytes / MEGABYTE);
    print_contacts(t);
    printf("network  %g us a message, %g GB/s for each rank\n", plan->machine.latency / MICROSECOND,
           plan->machine.bandwidth / GIGABYTE);
    printf("nodes    %.4g GB of memory, at most %d rank%s on each\n\n",
           plan->machine.node_memory / GIGABYTE, plan->machine.ranks_per_node,
           plan->machine.ranks_per_node == 1 ? "" : "s");
}

static void print_rows(const sn_plan *plan)
{
    printf("%7s %10s %10s %11s %11s %11s %11s %10s %9s %9s %9s %9s %7s\n", "ranks", "MB max",
           "MB avg", "ghost elem", "avg", "ghost node", "avg", "neighbours", "MB/apply",
           "imbalance", "s/frame", "network s", "nodes");
    for (int i = 0; i < plan->n; i++) {
        const sn_forecast *f = &plan->forecast[i];
        sn_layout_level l = sn_layout_level_of(&plan->layout[i], 0);
        int size = plan->layout[i].size;
        printf("%7d %10.1f %10.1f %11" PRId64 " %11.1f %11" PRId64 " %11.1f %10" PRId64
               " %9.3f %9.3f %9.3g %9.3g ",
               size, f->memory_max / MEGABYTE, f->memory_average / MEGABYTE, l.ghost_elements_most,
               (double)l.ghost_elements / size, l.ghost_nodes_most, (double)l.ghost_nodes / size,
               l.neighbours_most, f->exchange_bytes / MEGABYTE, l.imbalance, sn_forecast_seconds(f),
               f->network_seconds);
        if (f->nodes > 0)
            printf("%7d\n", f->nodes);
        else
            printf("%7s\n", "too big");
    }
}

static void print_advice(const sn_scene *scene, const sn_plan *plan)
{
    int best = sn_plan_fewest_nodes(plan);
    if (best < 0) {
        printf("\nno node of this size holds a rank: take more ranks, or nodes with more memory\n");
        return;
    }
    const sn_forecast *f = &plan->forecast[best];
    int frames = scene->frames.last - sn_frames_start(&scene->frames) + 1;
    printf("\nfewest nodes: %d, with %d ranks, %d on a node; %d frames take about %.3g hours\n",
           f->nodes, plan->layout[best].size, f->ranks_on_node, frames,
           sn_forecast_seconds(f) * frames / 3600);
}

static void print_json_levels(const sn_layout *layout)
{
    printf(", \"levels\": [");
    for (int l = 0; l < layout->n_levels; l++) {
        sn_layout_level s = sn_layout_level_of(layout, l);
        printf("%s{\"ranks\": %d, \"elements_max\": %" PRId64 ", \"ghost_elements\": %" PRId64
               ", \"ghost_elements_max\": %" PRId64 ", \"ghost_nodes\": %" PRId64
               ", \"ghost_nodes_max\": %" PRId64 ", \"neighbours_max\": %" PRId64
               ", \"imbalance\": %.6f}",
               l ? ", " : "", s.ranks, s.elements_most, s.ghost_elements, s.ghost_elements_most,
               s.ghost_nodes, s.ghost_nodes_most, s.neighbours_most, s.imbalance);
    }
    printf("]");
}

static void print_json_row(const sn_layout *layout, const sn_forecast *f)
{
    sn_layout_level l = sn_layout_level_of(layout, 0);
    printf("{\"ranks\": %d, \"memory_max\": %.0f, \"memory_average\": %.0f, "
           "\"ghost_elements_max\": %" PRId64 ", \"ghost_elements_average\": %.3f, "
           "\"ghost_nodes_max\": %" PRId64 ", \"ghost_nodes_average\": %.3f, "
           "\"neighbours_max\": %" PRId64 ", \"exchange_bytes\": %.0f, \"exchange_bytes_max\": "
           "%.0f, \"imbalance\": %.6f, \"seconds_per_frame\": %.6g, \"network_seconds\": %.6g, ",
           layout->size, f->memory_max, f->memory_average, l.ghost_elements_most,
           (double)l.ghost_elements / layout->size, l.ghost_nodes_most,
           (double)l.ghost_nodes / layout->size, l.neighbours_most, f->exchange_bytes,
           f->exchange_bytes_max, l.imbalance, sn_forecast_seconds(f), f->network_seconds);
    if (f->nodes > 0)
        printf("\"nodes\": %d, \"ranks_on_node\": %d", f->nodes, f->ranks_on_node);
    else
        printf("\"nodes\": null, \"ranks_on_node\": null");
    print_json_levels(layout);
    printf("}");
}

static void print_json(const sn_scene *scene, const sn_plan *plan)
{
    const sn_trial *t = &plan->trial;
    printf("{\"name\": ");
    sn_print_json_text(scene->name);
    printf(", \"elements\": %" PRId64 ", \"nodes\": %" PRId64 ",\n", plan->elements, plan->nodes);
    printf(" \"trial\": {\"cells\": %.6g, \"elements\": %" PRId64
           ", \"frames\": %d, \"ranks\": %d, \"threads\": %d, \"newton\": %.6g, \"linear\": %.6g, "
           "\"seconds\": %.6g, \"cycle_seconds\": %.6g, \"peak_to_count\": %.6g, \"other\": %.0f, "
           "\"shared\": %.0f, \"contacts\": %.0f, \"contacts_assumed\": %.0f},\n",
           t->larger, t->elements, t->frames, t->ranks, t->threads, t->newton, t->linear,
           t->seconds, t->cycle_seconds, plan->rates.peak_to_count, t->other_bytes, t->shared_bytes,
           t->weights.contacts, t->contact_share * t->weights.vertices);
    printf(" \"machine\": {\"latency\": %.6g, \"bandwidth\": %.6g, \"node_memory\": %.0f, "
           "\"ranks_per_node\": %d},\n",
           plan->machine.latency, plan->machine.bandwidth, plan->machine.node_memory,
           plan->machine.ranks_per_node);
    int best = sn_plan_fewest_nodes(plan);
    if (best < 0)
        printf(" \"fewest_nodes\": null,\n");
    else
        printf(" \"fewest_nodes\": {\"nodes\": %d, \"ranks\": %d},\n", plan->forecast[best].nodes,
               plan->layout[best].size);
    printf(" \"plans\": [\n");
    for (int i = 0; i < plan->n; i++) {
        printf("  ");
        print_json_row(&plan->layout[i], &plan->forecast[i]);
        printf("%s\n", i + 1 < plan->n ? "," : "");
    }
    printf(" ]}\n");
}

void sn_plan_print(const sn_scene *scene, const sn_plan *plan, bool json)
{
    if (json) {
        print_json(scene, plan);
        return;
    }
    print_assumptions(scene, plan);
    print_rows(plan);
    print_advice(scene, plan);
}
