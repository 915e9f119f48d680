/* A scene to begin with, written from a survey of a character: commented, and one that runs.
 *
 * Knows what units, sizes and shapes ask for: gravity and stiffness in the guessed unit of length,
 * with kilograms and seconds; a cell that the thin parts want or the machine allows; bones where
 * there is a skeleton; a floor under it, a camera before it. Hides how that is told in YAML. Names
 * of files are written as given, so that they are right for a scene in the folder that the program
 * was started from. */
#ifndef SN_INIT_INIT_H
#define SN_INIT_INIT_H

#include "init/rig.h"
#include "survey/survey.h"

#include <stdio.h>

/* Errors are left in the stream. */
void sn_init_write(FILE *out, const char *character, const sn_survey *survey,
                   const sn_init_rig *rig);

/* The axis that is taken for up. */
int sn_init_axis_up(const char *character, const sn_survey *survey);

#endif
