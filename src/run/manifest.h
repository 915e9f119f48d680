/* Which files of a run directory are the run's own: only these are ever written over or removed.
 *
 * A run writes manifest.txt before anything else. It has a fixed list of names, and the frames that
 * numbered files may be of; so it need not grow while the run goes on, and says nothing of what has
 * been written so far. Files of other names, or of other frames, are other people's. A text that
 * was tampered with can't name anything else: names are told by their form. */
#ifndef SN_RUN_MANIFEST_H
#define SN_RUN_MANIFEST_H

#include "base/status.h"

#include <stdbool.h>

#define SN_MANIFEST_FILE "manifest.txt"
#define SN_REPORT_FILE "report.html" /* of `sinew report` */

/* The frames that files with numbers are of; none if the first comes after the last. */
typedef struct {
    bool exists; /* without one no file is a run's, those without numbers neither */
    int first, last;
} sn_manifest;

typedef struct {
    char text[32];
} sn_preview_file;

/* The name of a frame's preview; those of the others are in io/frames/files.h, run/retention.h. */
sn_preview_file sn_preview_file_of(int frame);

/* Is a file with this name, in a directory with that manifest, the run's? Half written ones are, if
 * what they were to become is. */
bool sn_manifest_has(const sn_manifest *manifest, const char *name);

/* With the frames of both. */
sn_manifest sn_manifest_join(const sn_manifest *a, const sn_manifest *b);

/* That of a directory; none, if there is none. SN_BAD_INPUT if the file is there but no manifest.
 */
SN_CHECKED sn_status sn_manifest_read(const char *directory, sn_manifest *manifest);
SN_CHECKED sn_status sn_manifest_write(const char *directory, const sn_manifest *manifest);

#endif
