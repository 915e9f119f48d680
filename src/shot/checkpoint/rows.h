/* The rows of frames.csv as a table of a checkpoint. */
#ifndef SN_SHOT_CHECKPOINT_ROWS_H
#define SN_SHOT_CHECKPOINT_ROWS_H

#include "io/hdf5/state.h"
#include "shot/checkpoint/checkpoint.h"

/* Collective; all ranks have all rows. */
void sn_write_frame_rows(sn_h5_file *file, const sn_frame_rows *rows);

/* Collective; `rows` are replaced. Fails if there are more than `most_rows`; what they say is not
 * looked at. */
SN_CHECKED sn_status sn_read_frame_rows(sn_h5_source *source, int64_t most_rows,
                                        sn_frame_rows *rows);

#endif
