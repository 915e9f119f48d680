#include "shapes/modelling/squeeze.h"

void sn_squeeze_knot(sn_squeeze *squeeze, double from, double to)
{
    squeeze->from[squeeze->n] = from;
    squeeze->to[squeeze->n++] = to;
}

double sn_squeezed(const sn_squeeze *squeeze, double x)
{
    const double *from = squeeze->from, *to = squeeze->to;
    int above = 0;
    while (above < squeeze->n && x > from[above])
        above++;
    if (above == 0 || above == squeeze->n) {
        int last = above == 0 ? 0 : squeeze->n - 1;
        return to[last] + (x - from[last]);
    }
    double part = (x - from[above - 1]) / (from[above] - from[above - 1]);
    return to[above - 1] + part * (to[above] - to[above - 1]);
}
