/* Makes some of space narrower along an axis, and leaves the rest as wide as it was.
 *
 *      |  |     |  |          |  ||  |       A rising function with knots, straight between them
 *      |##|     |##|    ->    |##||##|       and of slope one beyond them. What is on two sides of
 *      |##|     |##|          |##||##|       a plane stays there: sheets come as close as is asked
 *                                            for, closer than a mesh is fine, and never cross. */
#ifndef SN_SHAPES_MODELLING_SQUEEZE_H
#define SN_SHAPES_MODELLING_SQUEEZE_H

enum { SN_SQUEEZE_MOST = 16 };

typedef struct {
    int n;
    double from[SN_SQUEEZE_MOST], to[SN_SQUEEZE_MOST];
} sn_squeeze;

/* Both must be higher than in the knot before. */
void sn_squeeze_knot(sn_squeeze *squeeze, double from, double to);

/* There must be a knot. */
double sn_squeezed(const sn_squeeze *squeeze, double x);

#endif
