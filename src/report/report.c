#include "report/report.h"

#include "base/array.h"
#include "io/frames/files.h"
#include "io/frames/frame_fields.h"
#include "io/frames/frame_set.h"
#include "io/frames/surface_read.h"
#include "io/frames/surface_write.h"
#include "io/text/part_file.h"
#include "io/text/whole_file.h"
#include "report/clips.h"
#include "report/embed.h"
#include "report/page.h"
#include "run/faults.h"
#include "run/manifest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_SHOWN = 300, MOST_TEXT = 1 << 28, MOST_LOG = 1 << 18 };

static sn_status path_in(const char *run_dir, const char *name, char path[SN_REPORT_PATH_BYTES])
{
    int length = snprintf(path, SN_REPORT_PATH_BYTES, "%s/%s", run_dir, name);
    return length < SN_REPORT_PATH_BYTES
               ? SN_OK
               : SN_FAIL(SN_BAD_INPUT, "%.60s...: the path is too long", run_dir);
}

/* ---- Texts of the run ---- */

/* What a file says, if there is one. */
static sn_status read_text(const char *run_dir, const char *name, sn_whole_file *file)
{
    char path[SN_REPORT_PATH_BYTES];
    *file = (sn_whole_file){0};
    SN_TRY(path_in(run_dir, name, path));
    return access(path, F_OK) == 0 ? sn_whole_file_read_up_to(path, MOST_TEXT, file) : SN_OK;
}

static int commas_in(const char *line, const char *end)
{
    int commas = 0;
    for (; line < end; line++)
        commas += *line == ',';
    return commas;
}

/* A head that begins so, and rows of as many columns; the last may be on its way. */
static sn_status check_table(const char *run_dir, const char *name, const sn_whole_file *file,
                             const char *head)
{
    if (!file->data)
        return SN_OK;
    const char *all = file->data, *end = all + file->bytes;
    const char *first_end = memchr(all, '\n', file->bytes);
    bool good = first_end && strncmp(all, head, strlen(head)) == 0;
    int columns = good ? commas_in(all, first_end) : 0, line = 2;
    for (const char *at = first_end; good && ++at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        good = !stop || commas_in(at, stop) == columns;
        if (!good)
            break;
        at = stop ? stop : end;
    }
    return good ? SN_OK
                : SN_FAIL(SN_BAD_INPUT, "%.*s/%s:%d: not the table that a run writes",
                          LONGEST_SHOWN, run_dir, name, first_end ? line : 1);
}

static void embed_file(FILE *about, const char *key, const sn_whole_file *file, size_t most)
{
    size_t skipped = file->bytes > most ? file->bytes - most : 0;
    if (!file->data)
        return;
    fprintf(about, ",\n\"%s\":", key);
    sn_embed_text(about, file->data + skipped, file->bytes - skipped);
}

static sn_status embed_table(FILE *about, const char *run_dir, const char *key, const char *name,
                             const char *head)
{
    sn_whole_file file;
    SN_TRY(read_text(run_dir, name, &file));
    sn_status status = check_table(run_dir, name, &file, head);
    if (status == SN_OK)
        embed_file(about, key, &file, MOST_TEXT);
    sn_whole_file_free(&file);
    return status;
}

static sn_status embed_texts(FILE *about, const char *run_dir)
{
    sn_whole_file scene, log;
    SN_TRY(read_text(run_dir, "scene.yaml", &scene));
    bool there = scene.data != NULL;
    fputs(",\n\"texts\":{\"kind\":\"run\"", about);
    embed_file(about, "scene", &scene, MOST_TEXT);
    sn_whole_file_free(&scene);
    if (!there)
        return SN_FAIL(SN_BAD_INPUT, "%.*s: not a run directory: it has no scene.yaml",
                       LONGEST_SHOWN, run_dir);
    SN_TRY(embed_table(about, run_dir, "frames", "frames.csv", "frame,time,"));
    SN_TRY(embed_table(about, run_dir, "timing", "timing.csv", "phase,"));
    SN_TRY(embed_table(about, run_dir, "diagnosis", SN_DIAGNOSIS_FILE, "frame,fault,"));
    SN_TRY(read_text(run_dir, "log.txt", &log));
    embed_file(about, "log", &log, MOST_LOG);
    sn_whole_file_free(&log);
    fputs("}", about);
    return SN_OK;
}

/* ---- Frames ---- */

/* Evenly, the first and the last among them. */
static int choose_frames(const int *there, int n, int most, int *chosen)
{
    int every = most > 1 ? (n - 1 + most - 2) / (most - 1) : n, count = 0;
    every = every > 0 ? every : 1;
    for (int i = 0; i < n; i += every)
        chosen[count++] = there[i];
    if (n > 0 && chosen[count - 1] != there[n - 1] && most > 1)
        chosen[count < most ? count++ : count - 1] = there[n - 1];
    return count;
}

/* What the frames say of all: which version wrote them, and how fast they follow each other. */
static sn_status embed_origin(FILE *about, const char *run_dir, int frame)
{
    sn_frame_fields fields;
    char *version = NULL;
    double fps = 0;
    SN_TRY(sn_frame_fields_open(run_dir, SN_SURFACE_FRAMES, frame, &fields));
    sn_status status =
        sn_h5_read_attribute(&fields.source, "/sinew", "fps", H5T_NATIVE_DOUBLE, 1, &fps);
    if (status == SN_OK)
        status = sn_h5_read_attribute_text(&fields.source, "/sinew", "version", &version);
    sn_frame_fields_close(&fields);
    if (status != SN_OK)
        return status;
    fputs(",\"fps\":", about);
    sn_embed_number(about, fps);
    fputs(",\"version\":", about);
    sn_embed_text(about, version, strlen(version));
    sn_free(version);
    return SN_OK;
}

static sn_status embed_clips(const sn_report_frames *frames, FILE *page, FILE *about)
{
    char *slices = NULL;
    size_t length = 0;
    if (frames->n_frames == 0) {
        fputs(",\"clips\":[]", about);
        return SN_OK;
    }
    SN_TRY(embed_origin(about, frames->run_dir, frames->frame[0]));
    fputs(",\n\"clips\":[", about);
    SN_TRY(sn_report_surface(frames, page, about));
    FILE *more = open_memstream(&slices, &length);
    if (!more)
        return SN_FAIL(SN_MACHINE, "report: out of memory");
    sn_status status = sn_report_slices(frames, page, more);
    fclose(more);
    fprintf(about, "%s%s]", length > 0 ? ",\n" : "", slices);
    free(slices);
    return status;
}

/* ---- The page ---- */

static void begin_page(FILE *page)
{
    fprintf(page,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"generator\" content=\"Sinew " SINEW_VERSION "\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
            "<title>Sinew</title>\n<style>\n%s</style>\n</head>\n<body>\n%s",
            sn_page_style, sn_page_body);
}

static void end_page(FILE *page, const char *about)
{
    fprintf(page,
            "<script type=\"application/json\" id=\"about\">%s</script>\n"
            "<script>\n%s</script>\n</body>\n</html>\n",
            about, sn_page_script);
}

static const char *name_of(const char *path, size_t *length)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    *length = end - start;
    return path + start;
}

static sn_status embed_all(const sn_report_frames *frames, int there, FILE *page, FILE *about)
{
    size_t length;
    const char *folder = name_of(frames->run_dir, &length);
    fprintf(about, "{\"reporter\":\"" SINEW_VERSION "\",\"framesThere\":%d,\"folder\":", there);
    sn_embed_text(about, folder, length);
    SN_TRY(embed_texts(about, frames->run_dir));
    SN_TRY(embed_clips(frames, page, about));
    fputs("}", about);
    return SN_OK;
}

static sn_status write_page(const sn_report_frames *frames, int there, FILE *page)
{
    char *about = NULL;
    size_t length = 0;
    FILE *more = open_memstream(&about, &length);
    if (!more)
        return SN_FAIL(SN_MACHINE, "report: out of memory");
    begin_page(page);
    sn_status status = embed_all(frames, there, page, more);
    fclose(more);
    if (status == SN_OK)
        end_page(page, about);
    free(about);
    return status;
}

/* ---- Where it goes ---- */

/* Only in a directory of a run's the page may take the place of an older one. */
static sn_status choose_output(const sn_report *r, char path[SN_REPORT_PATH_BYTES])
{
    sn_manifest manifest;
    if (r->output) {
        bool fits = snprintf(path, SN_REPORT_PATH_BYTES, "%s", r->output) < SN_REPORT_PATH_BYTES;
        return fits ? SN_OK : SN_FAIL(SN_BAD_INPUT, "%.60s...: the path is too long", r->output);
    }
    SN_TRY(path_in(r->run_dir, SN_REPORT_FILE, path));
    SN_TRY(sn_manifest_read(r->run_dir, &manifest));
    return sn_manifest_has(&manifest, SN_REPORT_FILE)
               ? SN_OK
               : SN_FAIL(SN_BAD_INPUT,
                         "%.*s: has no " SN_MANIFEST_FILE " of a run, so nothing is written there; "
                         "give --output FILE",
                         LONGEST_SHOWN, r->run_dir);
}

static sn_status write_file(const sn_report *r, const int *there, int n, const char *path)
{
    sn_part_file file;
    int *chosen = SN_NEW(int, n + 1);
    sn_report_frames frames = {r->run_dir, chosen, choose_frames(there, n, r->most_frames, chosen),
                               r->most_triangles};
    sn_status status = sn_part_file_open(path, &file);
    if (status == SN_OK)
        status = sn_part_file_finish(&file, write_page(&frames, n, file.stream));
    sn_free(chosen);
    return status;
}

/* Those that are not asked for. */
static sn_status leave_out(const sn_report *r, int *there, int *n)
{
    int kept = 0;
    for (int i = 0; i < *n; i++)
        if (sn_frame_set_has(r->frames, there[i]))
            there[kept++] = there[i];
    bool none = *n > 0 && kept == 0;
    *n = kept;
    return none ? SN_FAIL(SN_BAD_INPUT, "report: none of the frames %.100s is there", r->frames)
                : SN_OK;
}

sn_status sn_report_write(const sn_report *r, char written[SN_REPORT_PATH_BYTES])
{
    int *there = NULL, n = 0;
    if (r->frames)
        SN_TRY(sn_frame_set_check("report", r->frames));
    SN_TRY(sn_surface_frames_list(r->run_dir, &there, &n));
    sn_status status = leave_out(r, there, &n);
    if (status == SN_OK)
        status = choose_output(r, written);
    if (status == SN_OK)
        status = write_file(r, there, n, written);
    sn_free(there);
    return status;
}
