/* What cells of a size cost, told from a mesh's area and volume: how many elements, how much
 * memory. */
#ifndef SN_SURVEY_COST_H
#define SN_SURVEY_COST_H

/* Cells that the surface passes through, and their octants and nodes in bytes: so many at least,
 * for refusing what surely does not fit. */
double sn_least_cells(double area, double cell);
double sn_least_bytes(double cells);

typedef struct {
    double elements; /* about; within a third where parts are thicker than a cell */
    double bytes;    /* of a run, on all ranks together */
} sn_cost;

sn_cost sn_cost_of_cells(double area, double volume, double cell);

/* The smallest cell with at most so many elements. */
double sn_cell_for_elements(double area, double volume, double elements);

#endif
