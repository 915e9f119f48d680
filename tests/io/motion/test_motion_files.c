/* Motions from BVH and CSV files: against matrices that are multiplied out by hand, in between
 * frames, and with everything that can be wrong with a file. */
#include "helpers/motion_files.h"

#include "base/pi.h"
#include "io/motion/read.h"

static const double TOLERANCE = 1e-12;

/* Matrices by hand: 4x4, row by row, and nothing of the code under test. */
typedef struct {
    double m[4][4];
} matrix;

static matrix times(matrix a, matrix b)
{
    matrix c = {{{0}}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                c.m[i][j] += a.m[i][k] * b.m[k][j];
    return c;
}

static matrix shifted(double x, double y, double z)
{
    return (matrix){{{1, 0, 0, x}, {0, 1, 0, y}, {0, 0, 1, z}, {0, 0, 0, 1}}};
}

static matrix turned(char axis, double degrees)
{
    double c = cos(degrees * SN_PI / 180), s = sin(degrees * SN_PI / 180);
    if (axis == 'X')
        return (matrix){{{1, 0, 0, 0}, {0, c, -s, 0}, {0, s, c, 0}, {0, 0, 0, 1}}};
    if (axis == 'Y')
        return (matrix){{{c, 0, s, 0}, {0, 1, 0, 0}, {-s, 0, c, 0}, {0, 0, 0, 1}}};
    return (matrix){{{c, -s, 0, 0}, {s, c, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
}

static matrix euler(const char *order, double a, double b, double c)
{
    return times(turned(order[0], a), times(turned(order[1], b), turned(order[2], c)));
}

static void check_pose(const sn_skeleton *skeleton, const char *name, double time, matrix expected)
{
    int joint = sn_skeleton_find(skeleton, name);
    CHECK(joint >= 0, "no joint %s", name);
    if (joint < 0)
        return;
    sn_affine pose = sn_skeleton_pose(skeleton, joint, time);
    for (int i = 0; i < 12; i++) {
        double got = pose.row[i / 4][i % 4], wanted = expected.m[i / 4][i % 4];
        CHECK(fabs(got - wanted) < TOLERANCE, "%s at %g, entry %d: %.17g, expected %.17g", name,
              time, i, got, wanted);
    }
}

/* Channels in mixed orders, a joint that also slides, one that cannot move, a second root, a name
 * with blanks, braces on the line of the name, tabs, and no line end at the end. */
static const char sample[] = "HIERARCHY\n"
                             "ROOT Hips\n"
                             "{\n"
                             "\tOFFSET 1 2 3\n"
                             "\tCHANNELS 6 Xposition Zposition Yposition Zrotation Xrotation "
                             "Yrotation\n"
                             "\tJOINT upper leg {\n"
                             "\t\tOFFSET 0 -4 0.5\n"
                             "\t\tCHANNELS 3 Yrotation Zrotation Xrotation\n"
                             "\t\tJOINT Shin\n"
                             "\t\t{\n"
                             "\t\t\tOFFSET 0 -5 0\n"
                             "\t\t\tCHANNELS 2 Xrotation Yposition\n"
                             "\t\t\tEnd Site\n"
                             "\t\t\t{\n"
                             "\t\t\t\tOFFSET 0 -1 2e0\n"
                             "\t\t\t}\n"
                             "\t\t}\n"
                             "\t}\n"
                             "\tJOINT Fixed\n"
                             "\t{\n"
                             "\t\tOFFSET 0 6 0\n"
                             "\t\tCHANNELS 0\n"
                             "\t}\n"
                             "}\n"
                             "ROOT Ball\n"
                             "{ OFFSET 9 9 9 CHANNELS 3 Xrotation Yrotation Xrotation }\n"
                             "MOTION\n"
                             "Frames: 2\n"
                             "Frame Time: 0.033333\n"
                             "10 30 20 30 40 50 60 70 80 25 0.5 1 2 3\n"
                             "\n"
                             "11 31 21 -130 45 55 65 -75 85 -5 0.25 4 -5 170";

static void bvh_against_matrices(void)
{
    for (int instead = 0; instead < 2; instead++) {
        sn_skeleton s;
        sn_status status = sn_motion_parse_bvh(sample, strlen(sample), "sample.bvh",
                                               instead ? SN_BVH_INSTEAD : SN_BVH_ADDED, &s);
        CHECK(status == SN_OK, "%s", sn_failure_message());
        if (status != SN_OK)
            return;
        double add = !instead;
        CHECK(s.fps == 30 && s.last == 1 && !s.in_seconds && s.joints.count == 6, "%g %g", s.fps,
              s.last);
        matrix hips =
            times(shifted(10 + add * 1, 20 + add * 2, 30 + add * 3), euler("ZXY", 30, 40, 50));
        matrix leg = times(hips, times(shifted(0, -4, 0.5), euler("YZX", 60, 70, 80)));
        matrix shin = times(leg, times(shifted(0, 0.5 - add * 5, 0), turned('X', 25)));
        check_pose(&s, "Hips", 0, hips);
        check_pose(&s, "upper leg", 0, leg);
        check_pose(&s, "Shin", 0, shin);
        check_pose(&s, "Shin.end", 0, times(shin, shifted(0, -1, 2)));
        check_pose(&s, "Fixed", 0, times(hips, shifted(0, 6, 0)));
        check_pose(&s, "Ball", 0, times(shifted(9, 9, 9), euler("XYX", 1, 2, 3)));
        hips = times(shifted(11 + add * 1, 21 + add * 2, 31 + add * 3), euler("ZXY", -130, 45, 55));
        leg = times(hips, times(shifted(0, -4, 0.5), euler("YZX", 65, -75, 85)));
        shin = times(leg, times(shifted(0, 0.25 - add * 5, 0), turned('X', -5)));
        for (double time = 1; time < 4; time++) /* held */
            check_pose(&s, "Shin", time, shin);
        /* turns about one axis: half-way is the mean angle; positions go straight */
        int j = sn_skeleton_find(&s, "Shin");
        s.joints.data[j].parent = -1;
        check_pose(&s, "Shin", 0.5, times(shifted(0, 0.375 - add * 5, 0), turned('X', 10)));
        sn_skeleton_free(&s);
    }
}

static void bvh_rest_is_the_offsets(void)
{
    sn_skeleton s;
    CHECK(sn_motion_parse_bvh(sample, strlen(sample), "", SN_BVH_ADDED, &s) == SN_OK, "sample");
    sn_affine end = sn_skeleton_rest(&s, sn_skeleton_find(&s, "Shin.end"));
    CHECK(end.row[0][3] == 1 && end.row[1][3] == -8 && end.row[2][3] == 5.5, "rest of the end");
    CHECK(s.joints.data[sn_skeleton_find(&s, "Shin.end")].is_end, "is an end");
    sn_skeleton_free(&s);
}

/* Rigid at every time, and every joint at the same distance from its parent. */
static void bvh_is_rigid_in_between(void)
{
    sn_skeleton s;
    CHECK(sn_motion_parse_bvh(sample, strlen(sample), "", SN_BVH_ADDED, &s) == SN_OK, "sample");
    int leg = sn_skeleton_find(&s, "upper leg");
    for (double time = -1; time < 2; time += 1.0 / 64) {
        for (int j = 0; j < (int)s.joints.count; j++) {
            sn_affine pose = sn_skeleton_pose(&s, j, time);
            CHECK(sn_affine_not_rigid(&pose) < TOLERANCE, "joint %d at %g", j, time);
        }
        sn_affine a = sn_skeleton_pose(&s, leg, time), b = sn_skeleton_pose(&s, 0, time);
        double length = hypot(hypot(a.row[0][3] - b.row[0][3], a.row[1][3] - b.row[1][3]),
                              a.row[2][3] - b.row[2][3]);
        CHECK(fabs(length - hypot(4, 0.5)) < TOLERANCE, "%g long at %g", length, time);
    }
    sn_skeleton_free(&s);
}

static void chain_moves_as_the_whole(void)
{
    sn_skeleton s;
    CHECK(sn_motion_parse_bvh(sample, strlen(sample), "", SN_BVH_ADDED, &s) == SN_OK, "sample");
    for (int j = 0; j < (int)s.joints.count; j++) {
        sn_skeleton chain = sn_skeleton_chain(&s, j);
        for (double time = 0; time < 2; time += 0.375) {
            sn_affine a = sn_skeleton_pose(&s, j, time);
            sn_affine b = sn_skeleton_pose(&chain, (int)chain.joints.count - 1, time);
            CHECK(memcmp(&a, &b, sizeof a) == 0, "joint %d at %g", j, time);
        }
        sn_skeleton_free(&chain);
    }
    sn_skeleton_free(&s);
}

#define ROOT_ "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 2 Xrotation Yrotation\n"
#define MOTION_ ROOT_ "}\nMOTION\nFrames: 2\nFrame Time: 0.1\n"

static const struct {
    const char *text, *message;
} bad_bvh[] = {
    {"", "f.bvh:1: expected HIERARCHY"},
    {"hello\n", "f.bvh:1: expected HIERARCHY at the beginning, got \"hello\""},
    {"HIERARCHY\nJOINT a\n", "f.bvh:2: expected ROOT, got \"JOINT\""},
    {"HIERARCHY\nROOT\n{\n", "f.bvh:2: expected a joint's name, got the end of the line"},
    {"HIERARCHY\nROOT a\nOFFSET", "f.bvh:3: expected an opening brace"},
    {"HIERARCHY\nROOT a\n{\nOFFSET 1 2\n", "f.bvh:4: expected three finite numbers"},
    {"HIERARCHY\nROOT a\n{\nOFFSET 1 nan 2\n", "got \"nan\""},
    {"HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\nCHANNELS 7 Xrotation\n", "from 0 to 6, got \"7\""},
    {"HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\nCHANNELS x\n", "from 0 to 6, got \"x\""},
    {"HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\nCHANNELS 2 Xrotation Wrotation\n",
     "f.bvh:5: expected a channel such as Xposition or Zrotation, got \"Wrotation\""},
    {"HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\nCHANNELS 2 Xrotation\n", "got the end of the line"},
    {"HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\nCHANNELS 2 Xposition Xposition\n", "there twice"},
    {ROOT_ "End Point\n", "f.bvh:6: expected \"Site\""},
    {ROOT_ "End Site\n{\nOFFSET 0 0 0\nJOINT b\n", "f.bvh:9: expected a closing brace"},
    {ROOT_ "MOTION\n", "f.bvh:6: expected JOINT, End Site or a closing brace, got \"MOTION\""},
    {ROOT_, "but the file ends here"},
    {ROOT_ "}\n", "expected MOTION or another ROOT, but the file ends here"},
    {ROOT_ "}\nMOTION\nFrames: 0\nFrame Time: 1\n", "f.bvh:8: the motion has no frames"},
    {ROOT_ "}\nMOTION\nFrames: -3\n", "f.bvh:8: expected a number of frames, got \"-3\""},
    {ROOT_ "}\nMOTION\nFrames: 99999999999999999999\n", "expected a number of frames"},
    {ROOT_ "}\nMOTION\nFrames: 2\nFrame Time: 0\n1 2\n3 4\n", "greater than 0, got 0"},
    {ROOT_ "}\nMOTION\nFrames: 2\nFrame Time: inf\n1 2\n3 4\n", "got \"inf\""},
    {ROOT_ "}\nMOTION\nFrames: 2\nFrame Time: 1e-320\n1 2\n3 4\n", "greater than 0"},
    {ROOT_ "}\nMOTION\nFrames: 90000000\nFrame Time: 1\n1 2\n3 4\n", "expected 90000000 frames"},
    {MOTION_ "1 2\n3\n", "f.bvh:11: frame 2: expected 2 numbers, got 1"},
    {MOTION_ "1 2\n3 4 5\n", "f.bvh:11: frame 2: expected 2 numbers, got more"},
    {MOTION_ "1 2\n3 NaN\n", "f.bvh:11: expected a finite number, got \"NaN\""},
    {MOTION_ "1 2\n3 4x\n", "f.bvh:11: expected a finite number, got \"4x\""},
    {MOTION_ "1 2\n\n\n", "expected 2 frames, got 1"},
    {MOTION_ "1 2\n3 4\n5 6\n", "f.bvh:12: expected the end of the file"},
    {"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 1\nFrame Time: 1\n",
     "no joint has a channel"},
};

static void bad_bvh_files(void)
{
    for (size_t i = 0; i < sizeof bad_bvh / sizeof *bad_bvh; i++) {
        sn_skeleton s;
        sn_status status = sn_motion_parse_bvh(bad_bvh[i].text, strlen(bad_bvh[i].text), "f.bvh",
                                               SN_BVH_ADDED, &s);
        CHECK(status == SN_BAD_INPUT && strstr(sn_failure_message(), bad_bvh[i].message),
              "case %zu: status %d: %s\n  expected: %s", i, status, sn_failure_message(),
              bad_bvh[i].message);
        if (status == SN_OK)
            sn_skeleton_free(&s);
    }
}

/* CSV. */

static sn_status parse_csv(const char *text, sn_skeleton *s)
{
    char *copy = malloc(strlen(text) + 1);
    strcpy(copy, text);
    sn_status status = sn_motion_parse_csv(copy, strlen(text), "f.csv", s);
    free(copy);
    return status;
}

static void csv_of_any_matrices(void)
{
    sn_skeleton s;
    sn_status status = parse_csv("# moved by hand\r\nm00,m01,m02,m03,etc\r\n"
                                 "1,0,0,0, 0,1,0,0, 0,0,1,0 # the first\r\n\r\n"
                                 "3;0;0;4; 0 1 2 0\t0,0,1,-8\r\n",
                                 &s);
    CHECK(status == SN_OK && s.last == 1 && isnan(s.fps) && s.joints.count == 1, "%s",
          sn_failure_message());
    sn_affine middle = sn_skeleton_pose(&s, 0, 0.25);
    sn_affine expected = {{{1.5, 0, 0, 1}, {0, 1, 0.5, 0}, {0, 0, 1, -2}}};
    CHECK(pose_difference(&middle, &expected) == 0, "entries go linearly");
    sn_skeleton_free(&s);
}

static void csv_of_rigid_matrices(void)
{
    sn_skeleton s; /* a quarter turn about z, written with few digits, then one about x */
    sn_status status = parse_csv("1 0 0 0 0 1 0 0 0 0 1 0\n0.00001 -1 0 2 1 0 0 0 0 0 1 0\n"
                                 "1 0 0 2 0 0 -1 0 0 1 0 0\n",
                                 &s);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_affine middle = sn_skeleton_pose(&s, 0, 0.5);
    double r = sqrt(0.5);
    sn_affine expected = {{{r, -r, 0, 1}, {r, r, 0, 0}, {0, 0, 1, 0}}};
    CHECK(pose_difference(&middle, &expected) < 1e-5, "an eighth of a turn");
    for (double time = 0; time <= 2; time += 0.125) {
        sn_affine pose = sn_skeleton_pose(&s, 0, time);
        CHECK(sn_affine_not_rigid(&pose) < TOLERANCE, "at %g", time);
    }
    sn_skeleton_free(&s);
}

static const struct {
    const char *text, *message;
} bad_csv[] = {
    {"", "f.csv: has no frames"},
    {"# nothing\na,b,c\n\n", "f.csv: has no frames"},
    {"1,2,3\n", "f.csv:1: expected 12 numbers, got 3"},
    {"a,b\n1 0 0 0 0 1 0 0 0 0 1 0\n1 0 0 0 0 1 0 0 0 0 1 # 0\n", "f.csv:3: expected 12 numbers"},
    {"1 0 0 0 0 1 0 0 0 0 1 0 1\n", "f.csv:1: expected 12 numbers, got more"},
    {"1 0 0 0 0 nan 0 0 0 0 1 0\n", "f.csv:1: number 6: expected a finite number, got \"nan\""},
    {"nan 0 0 0 0 1 0 0 0 0 1 0\n", "f.csv:1: number 1: expected a finite number, got \"nan\""},
    {"1 0 0 0 0 1e999 0 0 0 0 1 0\n", "f.csv:1: number 6: expected a finite number"},
    {"1.x 0 0 0 0 1 0 0 0 0 1 0\n", "f.csv:1: number 1: expected a finite number, got \"1.x\""},
    {"1 0 0 0 0 1 0 0 0 0 1 0\nx y\n", "f.csv:2: number 1: expected a finite number, got \"x\""},
};

static void bad_csv_files(void)
{
    for (size_t i = 0; i < sizeof bad_csv / sizeof *bad_csv; i++) {
        sn_skeleton s;
        sn_status status = parse_csv(bad_csv[i].text, &s);
        CHECK(status == SN_BAD_INPUT && strstr(sn_failure_message(), bad_csv[i].message),
              "case %zu: status %d: %s", i, status, sn_failure_message());
        if (status == SN_OK)
            sn_skeleton_free(&s);
    }
}

/* Files that end too early, or have a wrong byte, at every place: one message or a skeleton that
 * can be asked, and never a read past the end. */
static void survive(const char *text, size_t bytes)
{
    for (int csv = 0; csv < 2; csv++) {
        char *copy = malloc(bytes + 1);
        memcpy(copy, text, bytes);
        copy[bytes] = '\0';
        sn_skeleton s;
        sn_status status = csv ? sn_motion_parse_csv(copy, bytes, "f", &s)
                               : sn_motion_parse_bvh(copy, bytes, "f", SN_BVH_ADDED, &s);
        free(copy);
        CHECK(status == SN_OK || status == SN_BAD_INPUT, "status %d", status);
        if (status != SN_OK)
            continue;
        for (int j = 0; j < (int)s.joints.count; j++)
            sn_skeleton_pose(&s, j, 0.5);
        sn_skeleton_free(&s);
    }
}

static void broken_anywhere(const char *text)
{
    static const char odd[] = "{} \n\0#-.9eNx\xff";
    size_t bytes = strlen(text);
    char *changed = malloc(bytes + 1);
    for (size_t cut = 0; cut <= bytes; cut++) {
        survive(text, cut);
        if (cut == bytes)
            break;
        strcpy(changed, text);
        changed[cut] = odd[cut % (sizeof odd - 1)];
        survive(changed, bytes);
    }
    free(changed);
}

static void missing_files(void)
{
    make_folder();
    sn_skeleton s;
    CHECK(sn_motion_read_bvh(file_in_folder("no.bvh").text, SN_BVH_ADDED, &s) == SN_BAD_INPUT &&
              strstr(sn_failure_message(), "no.bvh: cannot open the file: No such file"),
          "%s", sn_failure_message());
    CHECK(sn_motion_read_csv(folder, &s) == SN_BAD_INPUT &&
              strstr(sn_failure_message(), "is a directory"),
          "%s", sn_failure_message());
    remove_folder();
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    bvh_against_matrices();
    bvh_rest_is_the_offsets();
    bvh_is_rigid_in_between();
    chain_moves_as_the_whole();
    bad_bvh_files();
    csv_of_any_matrices();
    csv_of_rigid_matrices();
    bad_csv_files();
    broken_anywhere(sample);
    broken_anywhere("a,b # c\n1,0,0,0, 0,1,0,0, 0,0,1,0\n0 -1 0 2 1 0 0 0 0 0 1 0\n");
    missing_files();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
