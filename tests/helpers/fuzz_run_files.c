/* Readers of what lies in a run directory: who holds it, its manifest, its frames. */
#include "helpers/fuzz_targets.h"

#include "base/array.h"
#include "io/frames/frames_csv.h"
#include "io/frames/surface_read.h"
#include "run/faults.h"
#include "run/manifest.h"
#include "run/owner.h"

#include <hdf5.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 128, FRAME = 3, MOST_VALUES = 1024 };

static void make_folder(char folder[PATH_BYTES])
{
    snprintf(folder, PATH_BYTES, "/tmp/sinew_fuzz_%ld", (long)getpid());
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
    make_folder(folder);
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
    make_folder(folder);
    path_in(folder, "frames.csv", path);
    fuzz_write_bytes(path, data, bytes);
    sn_status status = sn_frames_csv_read(path, &row, &n);
    if (status == SN_OK)
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
    make_folder(folder);
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

/* ---- Surface frames ---- */

/* The reader gets files that HDF5 can read and whose numbers are wrong, as HDF5 itself is trusted
 * with its own bytes. They are made of a text: a line has an array's name, how many rows it is said
 * to have, and its values; `name` has the bytes of a text and then the bodies' names. */
typedef struct {
    hid_t file, group;
} frame_file;

static hid_t make_set(const frame_file *f, const char *name, hid_t type, hsize_t rows, int columns)
{
    hsize_t size[2] = {rows, (hsize_t)columns}, chunk[2] = {64, (hsize_t)columns};
    int dimensions = columns > 0 ? 2 : 1;
    hid_t space = H5Screate_simple(dimensions, size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    if (rows > MOST_VALUES) /* in chunks that are never written */
        H5Pset_chunk(how, dimensions, chunk);
    hid_t set = H5Dcreate2(f->file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    return set;
}

static void put_set(const frame_file *f, const char *name, hid_t type, hsize_t rows, int columns,
                    const void *values)
{
    hid_t set = make_set(f, name, type, rows, columns);
    if (set >= 0 && rows <= MOST_VALUES)
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (set >= 0)
        H5Dclose(set);
}

static void put_number(const frame_file *f, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(f->group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0) {
        H5Awrite(attribute, type, value);
        H5Aclose(attribute);
    }
    H5Sclose(space);
}

static void put_points(const frame_file *f, hsize_t rows, char *text)
{
    static double value[3 * MOST_VALUES];
    memset(value, 0, sizeof value);
    for (size_t i = 0; i < sizeof value / sizeof *value && *text; i++)
        value[i] = strtod(text, &text);
    put_set(f, "/VTKHDF/Points", H5T_NATIVE_DOUBLE, rows, 3, value);
}

static void put_integers(const frame_file *f, const char *name, hsize_t rows, char *text)
{
    int64_t value[MOST_VALUES] = {0};
    for (size_t i = 0; i < MOST_VALUES && *text; i++)
        value[i] = strtoll(text, &text, 10);
    put_set(f, name, H5T_NATIVE_INT64, rows, 0, value);
}

static void put_names(const frame_file *f, hsize_t rows, char *text)
{
    static char names[MOST_VALUES << 6];
    size_t length = strtoul(text, &text, 10) % 64 + 1;
    memset(names, 0, sizeof names);
    memcpy(names, text, strlen(text));
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length);
    put_set(f, "/sinew/name", type, rows, 0, names);
    H5Tclose(type);
}

static void put_line(const frame_file *f, char *line)
{
    static const char *const integers[] = {"/VTKHDF/Connectivity", "/VTKHDF/Offsets",
                                           "/sinew/first_point", "/sinew/first_face"};
    char *rest = line + strcspn(line, " "), *values;
    if (*rest)
        *rest++ = '\0';
    double real = strtod(rest, &values);
    int64_t whole = strtoll(rest, &values, 10);
    if (strcmp(line, "frame") == 0)
        put_number(f, line, H5T_NATIVE_INT64, &whole);
    else if (strcmp(line, "time") == 0 || strcmp(line, "fps") == 0)
        put_number(f, line, H5T_NATIVE_DOUBLE, &real);
    else if (strcmp(line, "points") == 0)
        put_points(f, (hsize_t)whole, values);
    else if (strcmp(line, "name") == 0)
        put_names(f, (hsize_t)whole, values);
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (strcmp(line, integers[i]) == 0)
            put_integers(f, line, (hsize_t)whole, values);
}

static void make_frame(const char *path, char *text)
{
    frame_file f = {.file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    hid_t cells = H5Gcreate2(f.file, "/VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    f.group = H5Gcreate2(f.file, "/sinew", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        put_line(&f, line);
    H5Gclose(cells);
    H5Gclose(f.group);
    H5Fclose(f.file);
}

/* As who draws or exports it would: every corner of every body's faces is one of its points. */
static void use(const sn_surface_frame *s)
{
    for (int b = 0; b < s->n_bodies; b++) {
        const sn_surface_body_range *body = &s->body[b];
        for (int64_t f = body->first_face; f < body->first_face + body->n_faces; f++)
            for (int64_t c = s->first_corner[f]; c < s->first_corner[f + 1]; c++)
                if (s->corner[c] < body->first_point ||
                    s->corner[c] >= body->first_point + body->n_points ||
                    !(s->point[s->corner[c]][0] < 1 / 0.0))
                    abort();
        if (strlen(body->name) > MOST_VALUES)
            abort();
    }
}

sn_status fuzz_read_frame(char *data, size_t bytes)
{
    char folder[PATH_BYTES], path[2 * PATH_BYTES];
    sn_surface_frame frame;
    (void)bytes;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    make_folder(folder);
    path_in(folder, "surface_0003.vtkhdf", path);
    make_frame(path, data);
    sn_status status = sn_surface_frame_read(folder, FRAME, &frame);
    if (status == SN_OK) {
        use(&frame);
        sn_surface_frame_free(&frame);
    }
    remove(path);
    rmdir(folder);
    return status;
}

sample fuzz_seed_frame(int i)
{
    return sample_of_text(
        i == 0 ? "frame 3\ntime 0.125\nfps 24\npoints 4 0 0 0 1 0 0 0 1 0 0 0 1\n"
                 "/VTKHDF/Connectivity 12 0 2 1 0 1 3 1 2 3 0 3 2\n/VTKHDF/Offsets 5 0 3 6 9 12\n"
                 "/sinew/first_point 2 0 4\n/sinew/first_face 2 0 4\nname 1 5 flesh\n"
               : "frame 3\ntime 0\nfps 1\npoints 5 0 0 0 1 0 0 0 1 0 0 0 0 1 1 1\n"
                 "/VTKHDF/Connectivity 3 0 1 2\n/VTKHDF/Offsets 2 0 3\n"
                 "/sinew/first_point 3 0 3 5\n/sinew/first_face 3 0 1 1\nname 2 1 ab\n");
}
