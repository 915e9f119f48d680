#include "survey/cost.h"

#include <math.h>

/* A plane cuts a cell in at most the square root of two of its faces, so each triangle meets at
 * least so many cells for a cell's face of its area. Where sheets lie closer than cells some are
 * met several times, but each triangle finds them for itself, and they are there until they are
 * sorted. */
static const double CELLS_A_FACE = 0.7071;

/* A cell's octants and nodes on all levels, at least: `sinew info` of a cube took 490 bytes for
 * each of its least cells more. */
static const double LEAST_BYTES = 300;

/* A plane of any direction passes through one and a half cells for a face of its area, on average.
 * Behind them cells grow: `sinew info` of a cow and of a human had 1.6 to 2.5 elements a face. */
static const double CUT_A_FACE = 1.5, MOST_BEHIND_A_FACE = 0.9;

/* Of a run: walks of 60,000 elements took 1,960 bytes an element, and the program itself 40 MB. */
static const double BYTES_AN_ELEMENT = 2000, BYTES_OF_PROGRAM = 4e7;

double sn_least_cells(double area, double cell)
{
    return CELLS_A_FACE * area / (cell * cell);
}

double sn_least_bytes(double cells)
{
    return LEAST_BYTES * cells;
}

sn_cost sn_cost_of_cells(double area, double volume, double cell)
{
    double faces = area / (cell * cell), cut = CUT_A_FACE * faces;
    /* Half of the cut cells is inside. */
    double inner = fmax(fabs(volume) / (cell * cell * cell) - cut / 2, 0);
    double elements = cut + fmin(inner, MOST_BEHIND_A_FACE * faces);
    return (sn_cost){elements, BYTES_OF_PROGRAM + BYTES_AN_ELEMENT * elements};
}

double sn_cell_for_elements(double area, double volume, double elements)
{
    enum { STEPS = 60 };
    double high = sqrt(area), low = high * 1e-6; /* halved between them, in the logarithm */
    for (int i = 0; i < STEPS; i++) {
        double middle = sqrt(low * high);
        if (sn_cost_of_cells(area, volume, middle).elements > elements)
            low = middle;
        else
            high = middle;
    }
    return high;
}
