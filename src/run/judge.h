/* What is said of frames that were computed: which of them a run must not be trusted for.
 *
 * Knows the two limits that make a run end with SN_INACCURATE, and the words for it. A frame that
 * has inverted elements is only remarked on: elements recover. Everything here follows from the
 * rows of frames.csv alone. */
#ifndef SN_RUN_JUDGE_H
#define SN_RUN_JUDGE_H

#include "io/frames/frames_csv.h"

typedef struct {
    double residual;         /* the tolerance of the solver */
    double penetrated_cells; /* deeper contact is not resolved */
} sn_frame_limits;

typedef struct {
    bool missed_tolerance, unresolved_contact; /* these make a frame inaccurate */
    bool inverted;                             /* this does not */
} sn_frame_faults;

/* What is not a number keeps no limit. */
sn_frame_faults sn_frame_faults_of(const sn_frame_row *row, const sn_frame_limits *limits);

typedef struct {
    sn_status status; /* SN_OK or SN_INACCURATE */
    char message[1024];
} sn_verdict;

/* The one message at the end counts the frames that went wrong and names the first of each kind.
 * `failure` tells why a frame could not be solved at all; NULL if all were. */
sn_verdict sn_judge_frames(const sn_frame_row *row, size_t n, const sn_frame_limits *limits,
                           const char *failure);

typedef struct {
    char text[256];
} sn_frame_line;

/* The line of the log for a frame that was reached, with what is left of the shot. */
sn_frame_line sn_frame_line_of(const sn_frame_row *row, int last_frame, double seconds_left);

#endif
