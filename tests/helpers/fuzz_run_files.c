/* Readers of texts in a run directory: who holds it, its manifest, its rows and diagnoses. */
#include "helpers/fuzz_targets.h"

#include "base/array.h"
#include "io/frames/frames_csv.h"
#include "run/faults.h"
#include "run/manifest.h"
#include "run/owner.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = FUZZ_FOLDER_BYTES };

void fuzz_make_folder(char folder[FUZZ_FOLDER_BYTES])
{
    snprintf(folder, FUZZ_FOLDER_BYTES, "/tmp/sinew_fuzz_%ld", (long)getpid());
    if (mkdir(folder, 0700) != 0)
        abort();
}

static void path_in(const char *folder, const char *name, char path[2 * PATH_BYTES])
{
    snprintf(path, 2 * PATH_BYTES, "%s/%s", folder, name);
}

/* ---- held_by.txt ---- */

/* Written again it says the same, and whether it is gone can be told of any. */
sn_status fuzz_read_owner(char *data, size_t bytes)
{
    sn_owner owner, again, me = sn_owner_me();
    (void)bytes;
    if (!sn_owner_read(data, &owner))
        return SN_FAIL(SN_BAD_INPUT, "no owner");
    sn_owner_is_gone(&owner, &me, 0);
    sn_owner_describe(&owner);
    sn_owner_text text = sn_owner_write(&owner);
    if (!sn_owner_read(text.text, &again) || strcmp(again.token, owner.token) != 0)
        abort();
    return SN_OK;
}

sample fuzz_seed_owner(int i)
{
    sn_owner me = sn_owner_me();
    if (i > 0)
        snprintf(me.job, sizeof me.job, "film/4711");
    return sample_of_text(sn_owner_write(&me).text);
}

/* ---- manifest.txt ---- */

/* Each of its lines is asked for as a name as well: none that leads elsewhere is a run's. */
static void ask_for_names(const sn_manifest *m, char *text)
{
    for (char *rest = NULL, *name = strtok_r(text, "\n", &rest); name;
         name = strtok_r(NULL, "\n", &rest))
        if (sn_manifest_has(m, name) && strchr(name, '/'))
            abort();
}

sn_status fuzz_read_manifest(char *data, size_t bytes)
{
    char folder[PATH_BYTES], path[2 * PATH_BYTES];
    sn_manifest manifest;
    fuzz_make_folder(folder);
    path_in(folder, SN_MANIFEST_FILE, path);
    fuzz_write_bytes(path, data, bytes);
    sn_status status = sn_manifest_read(folder, &manifest);
    if (status == SN_OK)
        ask_for_names(&manifest, data);
    remove(path);
    rmdir(folder);
    return status;
}

sample fuzz_seed_manifest(int i)
{
    (void)i;
    return sample_of_text(
        "Files of a run of sinew: it may write over these and remove them, and no others.\n"
        "frames 1 to 12\nscene.yaml\nfrom/../surface_0001.vtkhdf\npreview_0007.png\n"
        "checkpoint_0003_s02.h5\nsurface_0002.vtkhdf.host-12.part\n./manifest.txt\n");
}

/* ---- frames.csv ---- */

sn_status fuzz_read_rows(char *data, size_t bytes)
{
    char folder[PATH_BYTES], path[2 * PATH_BYTES];
    sn_frame_row *row;
    size_t n;
    fuzz_make_folder(folder);
    path_in(folder, "frames.csv", path);
    fuzz_write_bytes(path, data, bytes);
    sn_status status = sn_frames_csv_read(path, &row, &n);
    if (status != SN_OK && (row || n > 0))
        abort();
    sn_free(row);
    remove(path);
    rmdir(folder);
    return status;
}

sample fuzz_seed_rows(int i)
{
    (void)i;
    return sample_of_text(SN_FRAMES_CSV_HEADER
                          "\n1,0,0,0,0,0,0,1,0,0.5,0,0,0.1,00ff00ff00ff00ff,0,0\n"
                          "2,0.04,3,21,1e-4,2.5,0.1,-0.2,7,0.5,0.01,0.02,1.5,0123456789abcdef,0,1\n"
                          "3,0.08,");
}

/* ---- diagnosis.csv ---- */

/* Written again it says the same, and all of it can be said in words. */
static void say_again(const char *path, const sn_fault_list *faults)
{
    sn_fault_list again;
    for (size_t i = 0; i < faults->count; i++) {
        sn_fault_words(&faults->data[i]);
        sn_fault_advice(&faults->data[i], 1);
    }
    if (sn_faults_write(path, faults) != SN_OK || sn_faults_read(path, &again) != SN_OK ||
        again.count != faults->count)
        abort();
    sn_vector_free(&again);
}

sn_status fuzz_read_faults(char *data, size_t bytes)
{
    char folder[PATH_BYTES], path[2 * PATH_BYTES];
    sn_fault_list faults;
    fuzz_make_folder(folder);
    path_in(folder, SN_DIAGNOSIS_FILE, path);
    fuzz_write_bytes(path, data, bytes);
    sn_status status = sn_faults_read(path, &faults);
    if (status == SN_OK) {
        say_again(path, &faults);
        sn_vector_free(&faults);
    }
    remove(path);
    rmdir(folder);
    return status;
}

sample fuzz_seed_faults(int i)
{
    (void)i;
    return sample_of_text(
        "frame,fault,body,count,least_det_f,x,y,z,nearest,distance,way_a_substep,cell\n"
        "7,inverted,flesh,12,-0.5,1,2,3,bone left thigh,0.1,0.2,0.05\n"
        "8,unsolved,flesh,0,0.25,1e30,-2,nan,,0,0,0.05\n");
}
