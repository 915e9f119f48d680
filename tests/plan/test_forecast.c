/* The arithmetic of forecasts against closed forms, on layouts made by hand: a trial foretells
 * itself, messages cost what a network of so much latency and bandwidth takes, memory grows with
 * what it hangs on, and ranks are put on nodes as long as they fit. */
#include "helpers/check.h"

#include "base/array.h"
#include "multigrid/amli.h"
#include "plan/forecast.h"

#include <math.h>

enum { RANKS = 4, LEVELS = 4 };

/* Every rank has the same on a level, and an eighth of it on the next. */
static sn_layout even_layout(int size)
{
    sn_layout layout = {.size = size, .n_levels = LEVELS, .n_systems = LEVELS, .repeats_from = 1};
    for (int l = 0; l < LEVELS; l++) {
        layout.rank[l] = SN_NEW_ZERO(sn_part, size);
        for (int r = 0; r < size; r++)
            layout.rank[l][r] = (sn_part){.octants = 4096 >> 3 * l,
                                          .elements = 4096 >> 3 * l,
                                          .nodes = 4608 >> 3 * l,
                                          .finest_elements = l == 0 ? 512 : 0,
                                          .ghost_elements = size > 1 ? 256 >> 2 * l : 0,
                                          .ghost_nodes = size > 1 ? 320 >> 2 * l : 0,
                                          .sent_nodes = size > 1 ? 320 >> 2 * l : 0,
                                          .sends = size > 1 ? 3 : 0,
                                          .receives = size > 1 ? 3 : 0,
                                          .neighbours = size > 1 ? 3 : 0,
                                          .bytes = 4096000 >> 3 * l};
    }
    return layout;
}

/* The cycle on level 1 is repeated: levels are visited once, three times, three times and three
 * times. */
static sn_trial plain_trial(void)
{
    sn_trial trial = {.larger = 1,
                      .elements = 4096 * RANKS,
                      .ranks = RANKS,
                      .threads = 1,
                      .frames = 2,
                      .newton = 3,
                      .linear = 20,
                      .seconds = 8,
                      .cycle_seconds = 6,
                      .multigrid = SN_MULTIGRID_DEFAULTS,
                      .array_bytes = 5e8,
                      .other_bytes = 3e7,
                      .shared_bytes = 1e7,
                      .weights = {.surface = 1e5, .transfer = 10, .locators = 4, .vertices = 6000}};
    trial.multigrid.amli_levels = 1;
    return trial;
}

static const int VISITS[LEVELS] = {1, SN_AMLI_DEGREE, SN_AMLI_DEGREE, SN_AMLI_DEGREE};
static const sn_machine MACHINE = {
    .latency = 2e-6, .bandwidth = 1e9, .node_memory = 1e12, .ranks_per_node = 2};

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

static sn_forecast forecast(const sn_layout *layout, const sn_trial *trial,
                            const sn_machine *machine)
{
    sn_layout own = even_layout(RANKS);
    sn_rates rates = sn_rates_of(trial, &own);
    sn_forecast f = sn_forecast_of(layout, trial, &rates, machine);
    sn_layout_free(&own);
    return f;
}

static sn_forecast forecast_itself(const sn_trial *trial, const sn_machine *machine)
{
    sn_layout layout = even_layout(RANKS);
    sn_forecast f = forecast(&layout, trial, machine);
    sn_layout_free(&layout);
    return f;
}

/* ---- Layouts ---- */

static void sums_of_a_level(void)
{
    sn_layout layout = even_layout(3);
    layout.rank[0][1] = (sn_part){0};
    layout.rank[0][2].elements = 12;
    layout.rank[0][2].ghost_nodes = 1000;
    layout.rank[0][2].neighbours = 7;
    sn_layout_level s = sn_layout_level_of(&layout, 0);
    CHECK(s.ranks == 2, "%d ranks", s.ranks);
    CHECK(s.elements == 4096 + 12 && s.elements_most == 4096, "elements");
    CHECK(s.ghost_nodes == 1320 && s.ghost_nodes_most == 1000, "ghost nodes");
    CHECK(s.ghost_elements == 512 && s.ghost_elements_most == 256, "ghost elements");
    CHECK(s.neighbours_most == 7, "neighbours");
    CHECK(near(s.imbalance, 4096.0 * 2 / 4108), "imbalance %g", s.imbalance);
    sn_layout_free(&layout);
}

/* ---- Seconds ---- */

static void a_trial_foretells_itself(void)
{
    sn_trial trial = plain_trial();
    sn_forecast f = forecast_itself(&trial, &MACHINE);
    CHECK(near(f.work_seconds, trial.seconds), "%.17g s", f.work_seconds);
    CHECK(near(f.memory_max, trial.array_bytes / RANKS + trial.other_bytes), "%.17g bytes",
          f.memory_max);
    CHECK(near(f.memory_average, f.memory_max), "%.17g bytes", f.memory_average);
}

/* Without cycles, the rank with most elements, ghosts included, sets the pace; cycles go by the
 * visits of all levels. */
static void work_goes_with_elements(void)
{
    sn_trial trial = plain_trial();
    sn_layout own = even_layout(RANKS), one = even_layout(1);
    double visited[2] = {0};
    for (int l = 0; l < LEVELS; l++) {
        visited[0] += VISITS[l] * (double)(own.rank[l][0].elements + own.rank[l][0].ghost_elements);
        visited[1] += VISITS[l] * (double)one.rank[l][0].elements;
    }
    double plain = trial.seconds - trial.cycle_seconds;
    double expected = plain * 4096 / (4096 + 256) + trial.cycle_seconds * visited[1] / visited[0];
    sn_forecast f = forecast(&one, &trial, &MACHINE);
    CHECK(near(f.work_seconds, expected), "%.17g, not %.17g s", f.work_seconds, expected);
    sn_layout_free(&own);
    sn_layout_free(&one);
}

/* A frame's exchanges: for each linear iteration, and each of Newton's, one in double precision on
 * the finest level, and on each visit of a level two of every smoothing step and three more. Four
 * sums over all ranks go up and down a tree. */
static double network_by_hand(const sn_trial *trial, const sn_machine *machine, double real)
{
    double each = 0;
    for (int l = 0; l < LEVELS; l++) {
        double messages = 3 * machine->latency, values = 3 * (320 >> 2 * l) / machine->bandwidth;
        double exchanges = VISITS[l] * (2 * trial->multigrid.degree + 3);
        each += exchanges * (messages + real * values);
        if (l == 0)
            each += messages + sizeof(double) * values;
    }
    const int sums = 4, up_and_down = 2, height = 2;
    each += sums * up_and_down * height * machine->latency;
    return (trial->newton + trial->linear) * each;
}

static void network(void)
{
    sn_trial trial = plain_trial();
    for (int single = 0; single < 2; single++) {
        trial.single = single;
        double real = single ? sizeof(float) : sizeof(double);
        double expected = network_by_hand(&trial, &MACHINE, real);
        sn_forecast f = forecast_itself(&trial, &MACHINE);
        CHECK(near(f.network_seconds, expected), "%.17g, not %.17g s", f.network_seconds, expected);
    }
    sn_layout one = even_layout(1);
    CHECK(forecast(&one, &trial, &MACHINE).network_seconds == 0, "one rank waits for nobody");
    sn_layout_free(&one);
    sn_forecast f = forecast_itself(&trial, &MACHINE);
    CHECK(f.exchange_bytes == RANKS * 320 * 3 * 8, "%g bytes", f.exchange_bytes);
    CHECK(f.exchange_bytes_max == 320 * 3 * 8, "%g bytes", f.exchange_bytes_max);
}

/* ---- Memory ---- */

/* Bytes that a forecast has more with a changed trial; arrays have their counted size in both. */
static double difference(const sn_trial *a, const sn_trial *b)
{
    sn_layout layout = even_layout(RANKS);
    sn_rates rates = {.peak_to_count = 1};
    double bytes = sn_forecast_of(&layout, b, &rates, &MACHINE).memory_max -
                   sn_forecast_of(&layout, a, &rates, &MACHINE).memory_max;
    sn_layout_free(&layout);
    return bytes;
}

static void check_difference(const sn_trial *changed, double expected, const char *what)
{
    sn_trial trial = plain_trial();
    double bytes = difference(&trial, changed);
    CHECK(fabs(bytes - expected) < 1e-6, "%s: %.17g, not %.17g bytes", what, bytes, expected);
}

static void memory_hangs_on_what_it_should(void)
{
    sn_trial t = plain_trial();
    t.weights.surface += 4000;
    check_difference(&t, 4000.0 / RANKS, "surface");

    t = plain_trial();
    t.weights.locators += 2;
    check_difference(&t, 2 * 4096, "locators");

    t = plain_trial();
    t.weights.transfer += 1;
    check_difference(&t, 4608 + 576 + 72, "transfers, of all levels but the last");

    t = plain_trial();
    t.weights.colliders = 777;
    check_difference(&t, 777, "colliders, of each rank");

    t = plain_trial();
    t.other_bytes += 123;
    check_difference(&t, 123, "libraries");

    t = plain_trial();
    t.damped = true;
    check_difference(&t, (8 + 2 * 18 + 2 * 4) * (4096 + 256), "damping of elements and ghosts");

    t = plain_trial();
    t.larger = 2;
    t.weights.ties = 8000;
    check_difference(&t, 4 * 8000.0 / RANKS, "springs to bones grow with the square");

    t = plain_trial();
    t.larger = 2;
    t.weights.stays = 8000;
    check_difference(&t, 4 * 8000.0 / RANKS, "springs of slivers, too");

    t = plain_trial();
    t.weights.contact = 300;
    t.contact_share = 0.1;
    check_difference(&t, 0.1 * 6000 * 300 / RANKS, "contacts that are assumed");

    t.weights.contacts = 1000;
    check_difference(&t, 1000.0 * 300 / RANKS, "contacts that were there");
}

/* What files take counts only if a step takes less. */
static void writing_or_a_step(void)
{
    sn_trial t = plain_trial();
    t.weights.writing = 1;
    check_difference(&t, 0, "little is written");
    sn_trial more = t;
    t.weights.writing = 1e6;
    more.weights.writing = 1e6 + 1;
    CHECK(difference(&t, &more) == 4096, "%g", difference(&t, &more));
}

/* ---- Nodes ---- */

static void place(double node_memory, int ranks_per_node, int nodes, int ranks_on_node)
{
    sn_trial trial = plain_trial();
    sn_machine machine = MACHINE;
    machine.node_memory = node_memory;
    machine.ranks_per_node = ranks_per_node;
    sn_forecast f = forecast_itself(&trial, &machine);
    CHECK(f.nodes == nodes && f.ranks_on_node == ranks_on_node, "%d nodes with %d ranks", f.nodes,
          f.ranks_on_node);
}

static void nodes(void)
{
    sn_trial trial = plain_trial();
    double rank = trial.array_bytes / RANKS + trial.other_bytes, shared = trial.shared_bytes;
    double two = shared + 2 * (rank - shared);
    place(1e12, 2, 2, 2);
    place(1e12, 3, 2, 3);
    place(1e12, 64, 1, 64);
    place(two + 1, 64, 2, 2);
    place(two - 1, 64, 4, 1);
    place(rank + 1, 64, 4, 1);
    place(rank - 1, 64, 0, 0);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    sums_of_a_level();
    a_trial_foretells_itself();
    work_goes_with_elements();
    network();
    memory_hangs_on_what_it_should();
    writing_or_a_step();
    nodes();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
