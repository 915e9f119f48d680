/* What unit of length a character's mesh is in, guessed by its size: from 0.25 to 2.5 metres. */
#ifndef SN_SURVEY_UNITS_H
#define SN_SURVEY_UNITS_H

typedef struct {
    const char *name; /* "decimetres" */
    double metres;    /* in one */
} sn_unit;

sn_unit sn_guess_unit(double longest_side);

#endif
