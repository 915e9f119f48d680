/* What a run decides, without one: which frames make it inaccurate and what is said of them, which
 * checkpoints are written, kept and removed, and when too little time is left. */
#include "helpers/check.h"

#include "run/deadline.h"
#include "run/judge.h"
#include "run/retention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Frames ---- */

static const sn_frame_limits LIMITS = {.residual = 1e-3, .penetrated_cells = 2};

static sn_frame_row row(int frame, double residual, double cells, int inverted)
{
    return (sn_frame_row){.frame = frame,
                          .residual = residual,
                          .max_penetration = 0.01 * cells,
                          .penetrated_cells = cells,
                          .inverted = inverted};
}

static void check_faults(sn_frame_row r, bool missed, bool deep, bool inverted)
{
    sn_frame_faults f = sn_frame_faults_of(&r, &LIMITS);
    CHECK(f.missed_tolerance == missed, "residual %g", r.residual);
    CHECK(f.unresolved_contact == deep, "%g cells deep", r.penetrated_cells);
    CHECK(f.inverted == inverted, "%ld inverted", (long)r.inverted);
}

static void faults_of_a_frame(void)
{
    check_faults(row(1, 0, 0, 0), false, false, false);
    check_faults(row(1, 1e-3, 2, 0), false, false, false); /* the limits themselves are kept */
    check_faults(row(1, nextafter(1e-3, 1), 2, 0), true, false, false);
    check_faults(row(1, 1e-4, nextafter(2, 3), 0), false, true, false);
    check_faults(row(1, 1e-4, 0, 3), false, false, true);
    check_faults(row(1, NAN, 0, 0), true, false, false);
    check_faults(row(1, 0, NAN, 0), false, true, false);
    check_faults(row(1, INFINITY, INFINITY, 1), true, true, true);
}

static void check_verdict(const sn_frame_row *rows, size_t n, const char *failure,
                          const char *message)
{
    sn_verdict v = sn_judge_frames(rows, n, &LIMITS, failure);
    CHECK(v.status == (*message ? SN_INACCURATE : SN_OK), "status %d", v.status);
    CHECK(strcmp(v.message, message) == 0, "'%s', not '%s'", v.message, message);
}

static void verdicts(void)
{
    sn_frame_row rows[] = {row(1, 1e-4, 0, 0), row(2, 1e-5, 1, 9), row(3, 0.002, 0, 0),
                           row(4, 0.5, 3, 0), row(5, 0, 4, 0)};
    const char *missed = "2 frames missed the tolerance of 0.001, the first is frame 3 with a "
                         "residual of 0.002";
    const char *deep = "2 frames have contact that is not resolved, deeper than 2 finest cells, "
                       "the first is frame 4 with a depth of 0.03";
    char text[1024];
    check_verdict(NULL, 0, NULL, "");
    check_verdict(rows, 2, NULL, ""); /* inverted elements alone are no failure */
    check_verdict(NULL, 0, "frame 1 could not be solved", "frame 1 could not be solved");
    snprintf(text, sizeof text, "%s; %s", missed, deep);
    check_verdict(rows, 5, NULL, text);
    snprintf(text, sizeof text, "%s; %s; frame 6 could not be solved", missed, deep);
    check_verdict(rows, 5, "frame 6 could not be solved", text);
}

/* A message that is too long ends early, and the status stays. */
static void a_long_verdict(void)
{
    char failure[3000];
    memset(failure, 'x', sizeof failure);
    failure[sizeof failure - 1] = 0;
    sn_frame_row bad = row(1, 1, 0, 0);
    sn_verdict v = sn_judge_frames(&bad, 1, &LIMITS, failure);
    CHECK(v.status == SN_INACCURATE, "status %d", v.status);
    CHECK(strlen(v.message) == sizeof v.message - 1, "%zu characters", strlen(v.message));
}

static void lines_of_the_log(void)
{
    sn_frame_row r = row(7, 0.00123, 0, 0);
    r.newton = 3, r.linear = 12, r.volume = 0.5, r.seconds = 1.25;
    const char *text = "frame 7 of 48: newton 3, linear 12, residual 1.23e-03, volume 0.5; 1.2 s, "
                       "2:05 left";
    sn_frame_line line = sn_frame_line_of(&r, 48, 125.9);
    CHECK(strcmp(line.text, text) == 0, "'%s'", line.text);
    r.inverted = 1;
    line = sn_frame_line_of(&r, 48, 0);
    CHECK(strstr(line.text, "volume 0.5, inverted elements; "), "'%s'", line.text);
}

/* ---- Checkpoints ---- */

static void names(void)
{
    static const sn_checkpoint_name all[] = {
        {10, 0, true}, {11, 2, false}, {12345, 0, true}, {0, 0, true}, {3, 100, false}};
    static const char *const texts[] = {"checkpoint_0010.h5", "checkpoint_0011_s02.h5",
                                        "checkpoint_12345.h5", "checkpoint_0000.h5",
                                        "checkpoint_0003_s100.h5"};
    sn_checkpoint_name name;
    for (int i = 0; i < 5; i++) {
        CHECK(strcmp(sn_checkpoint_file_of(&all[i]).text, texts[i]) == 0, "%s",
              sn_checkpoint_file_of(&all[i]).text);
        CHECK(sn_checkpoint_name_read(texts[i], &name), "%s", texts[i]);
        CHECK(sn_checkpoint_newest_first(&name, &all[i]) == 0, "%s", texts[i]);
    }
    static const char *const others[] = {"",
                                         "checkpoint_",
                                         "checkpoint_10.h5",
                                         "checkpoint_0010.h5.part",
                                         "checkpoint_0010_s2.h5",
                                         "checkpoint_0010_sx.h5",
                                         "xcheckpoint_0010.h5",
                                         "surface_0010.vtkhdf"};
    for (int i = 0; i < 8; i++)
        CHECK(!sn_checkpoint_name_read(others[i], &name), "%s", others[i]);
}

static void when_they_are_due(void)
{
    int due = 0;
    for (int frame = 1; frame <= 48; frame++)
        due += sn_checkpoint_is_due(frame, 10);
    CHECK(due == 4, "%d", due);
    CHECK(sn_checkpoint_is_due(40, 10) && !sn_checkpoint_is_due(41, 10), "every tenth frame");
    CHECK(!sn_checkpoint_is_due(10, 0), "none are wanted");
}

/* A state's place in time: frames take 64 substeps here. */
static int moment(const sn_checkpoint_name *name)
{
    return 64 * name->frame - (name->whole ? 0 : 64 - name->substeps);
}

static sn_checkpoint_name random_name(unsigned long long *state)
{
    sn_checkpoint_name name = {1 + (int)(6 * test_random(state)), 0, test_random(state) < 0.5};
    name.substeps = name.whole ? 0 : 1 + (int)(9 * test_random(state));
    return name;
}

static void order_is_that_of_time(void)
{
    unsigned long long state = 3;
    for (int i = 0; i < 2000; i++) {
        sn_checkpoint_name a = random_name(&state), b = random_name(&state);
        int order = sn_checkpoint_newest_first(&a, &b), back = sn_checkpoint_newest_first(&b, &a);
        CHECK((order > 0) == (moment(&a) < moment(&b)), "%s and %s", sn_checkpoint_file_of(&a).text,
              sn_checkpoint_file_of(&b).text);
        CHECK((order == 0) == (back == 0) && order * back <= 0, "both ways");
    }
}

static bool has(const sn_checkpoint_list *list, const sn_checkpoint_name *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (sn_checkpoint_newest_first(&list->data[i], name) == 0)
            return true;
    return false;
}

static void add(sn_checkpoint_list *list, sn_checkpoint_name name)
{
    if (has(list, &name))
        return;
    sn_push(list, name);
    qsort(list->data, list->count, sizeof name, sn_checkpoint_newest_first);
}

/* One goes if it is of a later time than what was written, or if as many as are kept lie between
 * it and that. */
static bool must_go(const sn_checkpoint_list *there, const sn_checkpoint_name *name,
                    const sn_checkpoint_name *written, int keep)
{
    int between = 0;
    for (size_t i = 0; i < there->count; i++)
        between +=
            moment(&there->data[i]) > moment(name) && moment(&there->data[i]) <= moment(written);
    return moment(name) > moment(written) || between >= keep;
}

static void removal(void)
{
    unsigned long long state = 11;
    for (int time = 0; time < 500; time++) {
        sn_checkpoint_list there = {0}, gone = {0};
        int n = 1 + (int)(12 * test_random(&state)), keep = 1 + (int)(4 * test_random(&state));
        for (int i = 0; i < n; i++)
            add(&there, random_name(&state));
        sn_checkpoint_name written =
            there.data[(size_t)(test_random(&state) * (double)there.count)];
        for (size_t i = 0; i < there.count; i++)
            sn_push(&gone, there.data[i]);
        sn_checkpoints_to_remove(&gone, &written, keep);
        for (size_t i = 0; i < there.count; i++)
            CHECK(has(&gone, &there.data[i]) == must_go(&there, &there.data[i], &written, keep),
                  "%s, %d kept", sn_checkpoint_file_of(&there.data[i]).text, keep);
        CHECK(!has(&gone, &written), "what was just written goes");
        sn_vector_free(&there);
        sn_vector_free(&gone);
    }
}

/* ---- Time ---- */

/* Steps and checkpoints of random length. The run must stop so that one more of the longest so far
 * would have had room, and not while there was room for that and the least margin. */
static void stops_in_time(void)
{
    unsigned long long state = 17;
    for (int time = 0; time < 200; time++) {
        double now = 10, end = now + 100 + 400 * test_random(&state), margin = 0;
        sn_deadline d = sn_deadline_begin(end, now);
        double longest_step = 0, longest_checkpoint = 0;
        while (!sn_deadline_is_near(&d, now)) {
            margin = fmax(SN_LEAST_MARGIN, longest_step + longest_checkpoint);
            CHECK(now + margin <= end, "goes on at %g of %g with %g to spare", now, end, margin);
            double step = 8 * test_random(&state);
            double checkpoint = test_random(&state) < 0.3 ? 3 * test_random(&state) : 0;
            now += step + checkpoint;
            longest_step = fmax(longest_step, step + checkpoint);
            longest_checkpoint = fmax(longest_checkpoint, checkpoint);
            sn_deadline_checkpoint_took(&d, checkpoint);
            sn_deadline_step_ended(&d, now);
        }
        margin = fmax(SN_LEAST_MARGIN, longest_step + longest_checkpoint);
        CHECK(now + margin > end, "stops at %g of %g with %g to spare", now, end, margin);
    }
}

static void no_deadline(void)
{
    sn_deadline d = sn_deadline_begin(INFINITY, 0);
    sn_deadline_step_ended(&d, 1e9);
    CHECK(!sn_deadline_is_near(&d, 1e12), "there is none");
}

static void ends_of_jobs(void)
{
    const double today = 1.8e9, now = 50;
    CHECK(sn_slurm_deadline("1800003600", today, now) == 3650, "in an hour");
    CHECK(sn_slurm_deadline("1799999990", today, now) == 40, "ten seconds ago");
    CHECK(sn_slurm_deadline(NULL, today, now) == INFINITY, "no job");
    static const char *const nonsense[] = {"", "soon", "12x", "0", "-5", "nan"};
    for (int i = 0; i < 6; i++)
        CHECK(sn_slurm_deadline(nonsense[i], today, now) == INFINITY, "'%s'", nonsense[i]);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    faults_of_a_frame();
    verdicts();
    a_long_verdict();
    lines_of_the_log();
    names();
    when_they_are_due();
    order_is_that_of_time();
    removal();
    stops_in_time();
    no_deadline();
    ends_of_jobs();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
