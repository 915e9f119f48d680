#include "survey/survey.h"

#include "base/memory.h"
#include "base/vec3.h"
#include "io/mesh/load.h"
#include "octree/close_parts.h"

#include <math.h>

/* A scene to begin with is solved in minutes on a workstation. */
static const double ELEMENTS_TO_BEGIN_WITH = 20000;
static const double FEWEST_ELEMENTS = 3000;   /* where no part asks for more */
static const double COARSEST_SHARE = 1. / 16; /* of the longest side: the first of the cells */

/* A body is bent right by one cell across; two tell its sides apart. */
enum { CELLS_ACROSS = 2 };

double sn_survey_longest_side(const sn_survey *s)
{
    double longest = 0;
    for (int d = 0; d < 3; d++)
        longest = fmax(longest, s->report.bounds.max[d] - s->report.bounds.min[d]);
    return longest;
}

double sn_survey_cell_of_thin_parts(const sn_survey *s)
{
    return s->thickness.thinnest.distance / CELLS_ACROSS;
}

double sn_survey_cell_of_gaps(const sn_survey *s)
{
    return sn_separating_cell(s->thickness.closest.distance);
}

static sn_cost cost_of(const sn_survey *s, double cell)
{
    return sn_cost_of_cells(s->report.area, s->report.volume, cell);
}

/* To two digits, downwards. */
static double rounded(double cell)
{
    double unit = pow(10, floor(log10(cell)) - 1);
    return unit * floor(cell / unit * (1 + 1e-12));
}

static void propose_cell(sn_survey *s)
{
    double area = s->report.area, volume = s->report.volume;
    double finest = sn_cell_for_elements(area, volume, ELEMENTS_TO_BEGIN_WITH);
    double coarse = sn_cell_for_elements(area, volume, FEWEST_ELEMENTS);
    double gaps = sn_survey_cell_of_gaps(s), thin = sn_survey_cell_of_thin_parts(s);
    s->reason = SN_CELL_AS_MANY;
    s->proposed = finest;
    if (thin >= finest) {
        s->reason = SN_CELL_FOR_THIN_PARTS;
        s->proposed = fmin(thin, coarse);
    }
    if (gaps >= finest && gaps <= s->proposed) {
        s->reason = SN_CELL_FOR_GAPS;
        s->proposed = gaps;
    }
    s->proposed = rounded(s->proposed);
}

static void list_cells(sn_survey *s)
{
    for (int i = 0; i < SN_SURVEY_CELLS; i++) {
        s->cell[i] = i ? s->cell[i - 1] / 2 : rounded(COARSEST_SHARE * sn_survey_longest_side(s));
        s->cost[i] = cost_of(s, s->cell[i]);
    }
}

/* As the centre of all tetrahedra that triangles make with a corner of the box. */
static void find_centre(const sn_mesh *mesh, sn_survey *s)
{
    double volume = 0, moment[3] = {0};
    sn_vec origin = sn_vec_load(s->report.bounds.min);
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        sn_vec corner[3];
        for (int c = 0; c < 3; c++)
            corner[c] = sn_vec_sub(sn_vec_load(mesh->vertex[mesh->triangle[t][c]]), origin);
        double own[3], six = sn_vec_dot(sn_vec_cross(corner[0], corner[1]), corner[2]);
        sn_vec_store(sn_vec_add(sn_vec_add(corner[0], corner[1]), corner[2]), own);
        volume += six;
        for (int d = 0; d < 3; d++)
            moment[d] += six * own[d] / 4;
    }
    for (int d = 0; d < 3; d++)
        s->centre[d] = s->report.bounds.min[d] + moment[d] / volume;
}

static sn_status survey_mesh(const sn_mesh *mesh, sn_survey *s)
{
    s->vertices = mesh->n_vertices;
    s->triangles = mesh->n_triangles;
    s->crossings = sn_mesh_find_crossings(mesh);
    find_centre(mesh, s);
    SN_TRY(sn_mesh_thickness(mesh, s->report.volume < 0, &s->thickness));
    s->unit = sn_guess_unit(sn_survey_longest_side(s));
    list_cells(s);
    propose_cell(s);
    return SN_OK;
}

sn_status sn_survey_file(MPI_Comm comm, const char *path, sn_survey *survey)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_shared_mesh mesh;
    *survey = (sn_survey){.memory = sn_machine_memory(comm)};
    SN_TRY(sn_mesh_load(comm, path, NULL, &mesh, &survey->report));
    sn_status status = rank == 0 ? survey_mesh(&mesh.view, survey) : SN_OK;
    sn_shared_mesh_free(&mesh);
    return sn_agree(comm, status);
}
