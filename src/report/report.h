/* A run as one page of HTML that opens anywhere, without a network: the surface in motion, slices
 * through the octree, plots, timing, memory, log and scene.
 *
 * Reads what is in the run directory, which may be that of a run that goes on, and believes none of
 * it. Not collective: one rank writes, and holds one frame at a time. */
#ifndef SN_REPORT_REPORT_H
#define SN_REPORT_REPORT_H

#include "base/status.h"

typedef struct {
    const char *run_dir;
    const char *output; /* NULL: report.html in the run directory, if that has a manifest */
    int most_triangles; /* of a frame: a surface with more is thinned */
    const char *frames; /* which are wanted (io/frames/frame_set.h); NULL: all */
    int most_frames;    /* of more every so many are taken, and the last */
} sn_report;

/* `written` is the name of the file, for the message. */
enum { SN_REPORT_PATH_BYTES = 4096 };
SN_CHECKED sn_status sn_report_write(const sn_report *report, char written[SN_REPORT_PATH_BYTES]);

#endif
