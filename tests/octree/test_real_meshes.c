/* Meshes that nobody here made: they build, every level is valid, and the octree's volume comes
 * down to the mesh's from outside, at first order in the cell. Skipped where they are absent. */
#include "helpers/check.h"
#include "helpers/measure.h"
#include "io/mesh/load.h"

#include <stdlib.h>
#include <unistd.h>

enum { SIZES = 3, COARSEST_CELLS = 32, SKIPPED = 77, PATH_BYTES = 1024 };

/* Halving the cell halves the excess, once the thinnest limbs are some cells wide. */
static const double LEAST_RATIO = 1.9, MOST_RATIO_COARSE = 2.5, MOST_RATIO_FINE = 2.2;

/* The finest cells' excess beside the first-order prediction. */
static const double LEAST_OF_EXPECTED = 0.95, MOST_OF_EXPECTED = 1.1;

static void check_convergence(const char *name, const sn_mesh *mesh, const sn_mesh_report *report)
{
    double excess[SIZES], cell = 0;
    for (int s = 0; s < SIZES; s++) {
        cell = longest_side(&report->bounds) / (COARSEST_CELLS << s);
        excess[s] = measure_octree(name, mesh, report, cell).volume - report->volume;
        CHECK(excess[s] > 0, "%s, cell %g: the octree lacks %g of the volume %g", name, cell,
              -excess[s], report->volume);
    }
    double coarse = excess[0] / excess[1], fine = excess[1] / excess[2];
    CHECK(coarse > LEAST_RATIO && coarse < MOST_RATIO_COARSE, "%s: ratio %g", name, coarse);
    CHECK(fine > LEAST_RATIO && fine < MOST_RATIO_FINE, "%s: ratio %g", name, fine);
    double beside = excess[SIZES - 1] / expected_excess(mesh, cell);
    CHECK(beside > LEAST_OF_EXPECTED && beside < MOST_OF_EXPECTED, "%s: %g of the expected excess",
          name, beside);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%-24s volume %10.5g  excess %6.4f %6.4f %6.4f  ratios %.3f %.3f  expected %.3f\n",
               name, report->volume, excess[0] / report->volume, excess[1] / report->volume,
               excess[2] / report->volume, coarse, fine, beside);
}

/* False if the file is absent. */
static bool check_mesh(const char *data, const char *name)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", data, name);
    if (access(path, R_OK) != 0)
        return false;
    sn_shared_mesh shared;
    sn_mesh_report report;
    sn_status status = sn_mesh_load(MPI_COMM_WORLD, path, NULL, &shared, &report);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    if (status == SN_OK) {
        check_convergence(name, &shared.view, &report);
        sn_shared_mesh_free(&shared);
    }
    return true;
}

static int n_found;

static void run(int argc, char **argv)
{
    (void)argv;
    static const char *const meshes[] = {"fox/Fox.glb", "spot/spot.obj", "armadillo/armadillo.obj",
                                         "skull/skull.obj", "human/body.obj"};
    size_t n_meshes = argc > 1 ? 2 : sizeof meshes / sizeof *meshes; /* any argument: fewer */
    const char *data = getenv("SINEW_DATA");
    if (!data)
        data = SINEW_DEFAULT_DATA;
    for (size_t m = 0; m < n_meshes; m++)
        n_found += check_mesh(data, meshes[m]);
    if (n_found == 0)
        printf("skipped: no meshes in %s\n", data);
}

int main(int argc, char **argv)
{
    int status = test_main(argc, argv, run);
    return n_found ? status : SKIPPED;
}
