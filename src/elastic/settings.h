/* What a scene says about elasticity: which constitutive law, and how elements resist hourglass
 * modes. This is the list of the laws; a new one has a line here and its own files in elastic/laws.
 * A scene knows laws by name, the rest of the program by number only. */
#ifndef SN_ELASTIC_SETTINGS_H
#define SN_ELASTIC_SETTINGS_H

/* X(NAME, name) for each: SN_LAW_NAME is its number, sn_law_name what it supplies. */
#define SN_LAWS(X) X(COROTATED, corotated)

#define SN_LAW_NUMBER(NAME, name) SN_LAW_##NAME,
typedef enum { SN_LAWS(SN_LAW_NUMBER) SN_N_LAWS } sn_law_kind;
#undef SN_LAW_NUMBER

/* Rules for hourglass modes (elastic/hourglass.h): a number above 0 multiplies the paper's edge
 * quadrature. Scaled is the paper's times (1 + nu)/6, which bends with Young's modulus; assumed
 * strain does so too, and twists with the shear modulus. */
#define SN_HOURGLASS_PAPER 1.0
#define SN_HOURGLASS_SCALED (-1.0)
#define SN_HOURGLASS_ASSUMED (-2.0)

#endif
