/* What earlier frames of a run were, from its frames.csv. */
#ifndef SN_IO_FRAMES_FRAMES_CSV_DIGESTS_H
#define SN_IO_FRAMES_FRAMES_CSV_DIGESTS_H

#include "base/array.h"
#include "base/status.h"

typedef struct {
    int frame;
    uint64_t digest;
} sn_frame_digest;

typedef SN_VECTOR(sn_frame_digest) sn_frame_digests;

/* Not collective. Of all whole rows; none if there is no such file. Columns are known by their
 * names. After a failure there is nothing to free. */
SN_CHECKED sn_status sn_frames_csv_digests(const char *path, sn_frame_digests *digests);

#endif
