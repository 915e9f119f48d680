#include "survey/units.h"

#include <stddef.h>

static const double TALLEST = 2.5; /* metres */
static const sn_unit UNITS[] = {
    {"metres", 1}, {"decimetres", 0.1}, {"centimetres", 0.01}, {"millimetres", 0.001}};

sn_unit sn_guess_unit(double longest_side)
{
    size_t last = sizeof UNITS / sizeof *UNITS - 1, i = 0;
    while (i < last && longest_side * UNITS[i].metres > TALLEST)
        i++;
    return UNITS[i];
}
