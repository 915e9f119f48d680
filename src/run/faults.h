/* What is wrong with frames, in words and in a file: diagnosis.csv of the run directory.
 *
 * A row is one thing that is wrong with one body in one frame: how many elements are inverted, or
 * that the frame could not be solved, where it is worst, what is nearest to there and how fast that
 * moves. `sinew diagnose` and the page of `sinew report` show it. Knows the words, and what to try;
 * names lose their commas. */
#ifndef SN_RUN_FAULTS_H
#define SN_RUN_FAULTS_H

#include "base/array.h"
#include "base/status.h"

#define SN_DIAGNOSIS_FILE "diagnosis.csv"

enum { SN_FAULT_NAME_BYTES = 64 };

typedef enum { SN_FAULT_INVERTED, SN_FAULT_UNSOLVED, SN_FAULT_KINDS } sn_fault_kind;

typedef struct {
    int frame;
    sn_fault_kind kind;
    char body[SN_FAULT_NAME_BYTES];
    int64_t count;                     /* of inverted elements */
    double least;                      /* determinant of the worst element */
    double place[3];                   /* of it, in the scene */
    char nearest[SN_FAULT_NAME_BYTES]; /* "bone thigh", "collider floor"; empty: there is none */
    double distance;                   /* from there */
    double way;                        /* that it goes there in a substep */
    double cell;                       /* the finest of the body */
} sn_fault;

typedef SN_VECTOR(sn_fault) sn_fault_list;

/* Not collective, as all below. A file that is not there has no faults; one that is none of ours
 * is SN_BAD_INPUT. After a failure there is nothing to free. */
SN_CHECKED sn_status sn_faults_read(const char *path, sn_fault_list *faults);

/* Takes the place of the file. */
SN_CHECKED sn_status sn_faults_write(const char *path, const sn_fault_list *faults);

/* As a name in the file. */
void sn_fault_name(char to[SN_FAULT_NAME_BYTES], const char *kind, const char *name);

typedef struct {
    char text[512];
} sn_fault_text;

/* What it is, and where; and what to try, with the present number of substeps. */
sn_fault_text sn_fault_words(const sn_fault *fault);
sn_fault_text sn_fault_advice(const sn_fault *fault, int substeps);

#endif
