#include "run/manifest.h"

#include "io/frames/files.h"
#include "io/frames/meshes.h"
#include "io/frames/series.h"
#include "io/frames/surface_write.h"
#include "io/text/part_file.h"
#include "io/text/whole_file.h"
#include "run/faults.h"
#include "run/retention.h"
#include "shot/output/frames.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4352, LONGEST_SHOWN = 300, MOST_BYTES = 1 << 16, NAME_BYTES = 64 };

static const char *const NAMES[] = {SN_MANIFEST_FILE,
                                    "scene.yaml",
                                    "frames.csv",
                                    "log.txt",
                                    "timing.csv",
                                    SN_DIAGNOSIS_FILE,
                                    SN_REPORT_FILE,
                                    SN_MESHES_FILE,
                                    SN_SURFACE_FRAMES SN_FRAME_SERIES_ENDING,
                                    SN_OCTREE_FRAMES SN_FRAME_SERIES_ENDING};
enum { N_NAMES = sizeof NAMES / sizeof *NAMES };

/* ---- Names ---- */

/* Only what would be written the same. */
static bool frame_of_preview(const char *name, int *frame)
{
    return sscanf(name, "preview_%d", frame) == 1 &&
           strcmp(name, sn_preview_file_of(*frame).text) == 0;
}

/* The frame that a name has a number of, if it is one of a run's. */
static bool frame_of(const char *name, int *frame)
{
    sn_checkpoint_name checkpoint;
    if (sn_checkpoint_name_read(name, &checkpoint)) {
        *frame = checkpoint.frame;
        return true;
    }
    return sn_frame_of_file(SN_SURFACE_FRAMES, name, frame) ||
           sn_frame_of_file(SN_OCTREE_FRAMES, name, frame) || frame_of_preview(name, frame);
}

static bool has_whole(const sn_manifest *m, const char *name)
{
    int frame;
    for (int i = 0; i < N_NAMES; i++)
        if (strcmp(name, NAMES[i]) == 0)
            return true;
    return frame_of(name, &frame) && frame >= m->first && frame <= m->last;
}

bool sn_manifest_has(const sn_manifest *m, const char *name)
{
    char whole[NAME_BYTES];
    size_t stem = sn_part_stem(name);
    if (stem == 0 || stem >= sizeof whole)
        return m->exists && has_whole(m, name);
    memcpy(whole, name, stem);
    whole[stem] = '\0';
    return m->exists && has_whole(m, whole);
}

sn_manifest sn_manifest_join(const sn_manifest *a, const sn_manifest *b)
{
    if (!a->exists || !b->exists)
        return a->exists ? *a : *b;
    return (sn_manifest){.exists = true,
                         .first = a->first < b->first ? a->first : b->first,
                         .last = a->last > b->last ? a->last : b->last};
}

sn_preview_file sn_preview_file_of(int frame)
{
    sn_preview_file file;
    snprintf(file.text, sizeof file.text, "preview_%04d.png", frame);
    return file;
}

/* ---- The file ---- */

#define TITLE "Files of a run of sinew: it may write over these and remove them, and no others."

static void path_in(const char *directory, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/" SN_MANIFEST_FILE, directory);
}

static bool is_there(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

sn_status sn_manifest_read(const char *directory, sn_manifest *m)
{
    char path[PATH_BYTES];
    sn_whole_file file;
    path_in(directory, path);
    *m = (sn_manifest){.exists = is_there(path)};
    if (!m->exists)
        return SN_OK;
    SN_TRY(sn_whole_file_read_up_to(path, MOST_BYTES, &file));
    bool good = sscanf(file.data, TITLE "\nframes %d to %d\n", &m->first, &m->last) == 2;
    sn_whole_file_free(&file);
    return good ? SN_OK
                : SN_FAIL(SN_BAD_INPUT, "%.*s is not the manifest of a run: move it away",
                          LONGEST_SHOWN, path);
}

sn_status sn_manifest_write(const char *directory, const sn_manifest *m)
{
    char path[PATH_BYTES];
    sn_part_file file;
    path_in(directory, path);
    SN_TRY(sn_part_file_open(path, &file));
    fprintf(file.stream, TITLE "\nframes %d to %d\n", m->first, m->last);
    for (int i = 0; i < N_NAMES; i++)
        fprintf(file.stream, "%s\n", NAMES[i]);
    fprintf(file.stream, SN_SURFACE_FRAMES "_FRAME.vtkhdf\n" SN_OCTREE_FRAMES "_FRAME.vtkhdf\n"
                                           "checkpoint_FRAME.h5\npreview_FRAME.png\n");
    return sn_part_file_finish(&file, SN_OK);
}
