/* A bare mesh, surveyed: what `sinew info` says about it, and what `sinew init` makes a scene of.
 */
#ifndef SN_SURVEY_SURVEY_H
#define SN_SURVEY_SURVEY_H

#include "base/status.h"
#include "mesh/check.h"
#include "survey/cost.h"
#include "survey/crossings.h"
#include "survey/thickness.h"
#include "survey/units.h"

#include <mpi.h>

enum { SN_SURVEY_CELLS = 5 };

/* Why a cell is proposed: the finest that is wanted, or what many elements allow. */
typedef enum { SN_CELL_FOR_GAPS, SN_CELL_FOR_THIN_PARTS, SN_CELL_AS_MANY } sn_cell_reason;

typedef struct {
    int64_t vertices, triangles;
    sn_mesh_report report;
    sn_mesh_crossings crossings;
    sn_thickness thickness;
    double centre[3]; /* of mass */
    sn_unit unit;
    double memory; /* of the machines that the ranks are on */
    /* Sizes of cells, each half of the one before, with what they cost. */
    double cell[SN_SURVEY_CELLS];
    sn_cost cost[SN_SURVEY_CELLS];
    double
        proposed; /* a cell to begin with: its thin parts are two cells thick, if that is cheap */
    sn_cell_reason reason;
} sn_survey;

/* Two cells in the thinnest part; a cell that keeps close parts out of each other's cells. INFINITY
 * if there is nothing that asks for one. */
double sn_survey_cell_of_thin_parts(const sn_survey *survey);
double sn_survey_cell_of_gaps(const sn_survey *survey);

/* Collective: rank 0 reads a file, or makes a built-in shape, and surveys it; only there it is
 * filled. What is dirty is logged; a mesh that encloses nothing is refused. */
SN_CHECKED sn_status sn_survey_file(MPI_Comm comm, const char *path, sn_survey *survey);

double sn_survey_longest_side(const sn_survey *survey);

#endif
