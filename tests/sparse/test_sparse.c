/* Products of block-sparse matrices with vectors and with each other, transposes and exact solves,
 * against dense matrices that every rank has; rows and columns on any ranks. */
#include "helpers/check.h"

#include "base/array.h"
#include "base/digest.h"
#include "sparse/direct.h"

#include <math.h>
#include <string.h>

enum { FINE = 41, COARSE = 9, STEP = 7 }; /* keys are multiples of STEP */

static double number_of(sn_key row, sn_key column, int entry)
{
    uint64_t words[3] = {row, column, (uint64_t)entry};
    return (double)(sn_digest_bytes(words, sizeof words) >> 11) * 0x1p-52 - 1;
}

/* About a third of all blocks are there. */
static bool is_there(int row, int column)
{
    return row == column || number_of((sn_key)row, (sn_key)column, -1) > 0.3;
}

/* Intervals that go around the ranks, the last one left out. */
static sn_owners scattered_owners(int n)
{
    enum { INTERVALS = 5 };
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sn_owners owners = sn_owners_create(INTERVALS);
    for (int i = 0; i < INTERVALS; i++) {
        owners.first[i] = (sn_key)(STEP * (n * i / INTERVALS));
        owners.rank[i] = 2 * i % (size > 1 ? size - 1 : 1);
    }
    return owners;
}

typedef struct {
    sn_owners owners;
    sn_unknowns unknowns;
    int total;
} space;

static void space_open(space *s, int total)
{
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    *s = (space){.owners = scattered_owners(total), .total = total};
    s->unknowns =
        (sn_unknowns){.comm = MPI_COMM_WORLD, .owners = &s->owners, .key = SN_NEW(sn_key, total)};
    for (int i = 0; i < total; i++)
        if (sn_owner_of(&s->owners, (sn_key)(STEP * i)) == me)
            s->unknowns.key[s->unknowns.n++] = (sn_key)(STEP * i);
}

static void space_close(space *s)
{
    sn_owners_free(&s->owners);
    sn_free(s->unknowns.key);
}

static int number_of_key(sn_key key)
{
    return (int)key / STEP;
}

static void must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(SN_MACHINE, __FILE__, __LINE__, "%s", sn_failure_message());
}

static void fill_block(sn_sparse *m, int row, sn_local block)
{
    double *values = sn_sparse_block(m, block);
    for (int entry = 0; entry < m->height * m->width; entry++)
        values[entry] = number_of((sn_key)row, sn_sparse_key(m, block), entry);
}

static void matrix_open(const space *rows, const space *columns, int height, int width,
                        sn_sparse *m)
{
    sn_local n = rows->unknowns.n, *first = SN_NEW_ZERO(sn_local, n + 1), blocks = 0;
    sn_key *key = SN_NEW(sn_key, (size_t)n * (size_t)columns->total);
    for (sn_local i = 0; i < n; i++) {
        for (int j = 0; j < columns->total; j++)
            if (is_there(number_of_key(rows->unknowns.key[i]), j))
                key[blocks++] = (sn_key)(STEP * j);
        first[i + 1] = blocks;
    }
    must(sn_sparse_create(&rows->unknowns, &columns->unknowns, height, width, first, key, m));
    for (sn_local i = 0; i < n; i++)
        for (sn_local k = first[i]; k < first[i + 1]; k++)
            fill_block(m, number_of_key(rows->unknowns.key[i]), k);
    sn_free(key);
}

/* An entry of such a matrix, by rows and columns of reals. */
static double entry_of(int height, int width, int row, int column)
{
    int i = row / height, j = column / width;
    return is_there(i, j)
               ? number_of((sn_key)i, (sn_key)(STEP * j), column % width * height + row % height)
               : 0;
}

/* A real of the matrix; 0 where it has no block. */
static double stored(const sn_sparse *m, sn_local row, int column)
{
    sn_local block = sn_sparse_find(m, row / m->height, (sn_key)(STEP * (column / m->width)));
    return block == SN_NONE
               ? 0
               : sn_sparse_block(m, block)[column % m->width * m->height + row % m->height];
}

static void check_entries(const sn_sparse *m, int columns, double (*entry)(int row, int column),
                          double rounding, const char *name)
{
    for (sn_local i = 0; i < m->height * m->rows->n; i++)
        for (int column = 0; column < m->width * columns; column++) {
            int row = m->height * number_of_key(m->rows->key[i / m->height]) + i % m->height;
            double found = stored(m, i, column), right = entry(row, column);
            CHECK(fabs(found - right) <= rounding, "%s: %g at %d %d, not %g", name, found, row,
                  column, right);
        }
}

/* ---- A is 3x3 on the fine space, P is 3x6 to the coarse one. ---- */

static double a_entry(int row, int column)
{
    return entry_of(3, 3, row, column);
}

static double p_entry(int row, int column)
{
    return entry_of(3, 6, row, column);
}

static double transposed_entry(int row, int column)
{
    return p_entry(column, row);
}

static double ap_entry(int row, int column)
{
    double sum = 0;
    for (int k = 0; k < 3 * FINE; k++)
        sum += a_entry(row, k) * p_entry(k, column);
    return sum;
}

static double galerkin_entry(int row, int column)
{
    double sum = 0;
    for (int i = 0; i < 3 * FINE; i++)
        if (p_entry(i, row) != 0)
            sum += p_entry(i, row) * ap_entry(i, column);
    return sum;
}

/* Terms are added along the curve: to the last bit. */
static void vectors_are_multiplied(sn_sparse *m, double (*entry)(int row, int column), int total)
{
    double *u = SN_NEW_ZERO(double, sn_sparse_room(m));
    double *out = SN_NEW_ZERO(double, m->height * m->rows->n),
           *r = SN_NEW(double, m->height * m->rows->n);
    for (sn_local i = 0; i < m->columns->n; i++)
        for (int c = 0; c < m->width; c++)
            u[m->width * i + c] = number_of(m->columns->key[i], 1000, c);
    sn_sparse_apply_f64(m, u, out);
    sn_sparse_residual_f64(m, out, u, r);
    for (sn_local i = 0; i < m->height * m->rows->n; i++) {
        double sum = 0;
        int row = m->height * number_of_key(m->rows->key[i / m->height]) + i % m->height;
        for (int j = 0; j < total; j++)
            if (is_there(row / m->height, j))
                for (int c = 0; c < m->width; c++)
                    sum += entry(row, m->width * j + c) * number_of((sn_key)(STEP * j), 1000, c);
        CHECK(out[i] == sum && r[i] == 0, "row %d: %.17g, not %.17g", row, out[i], sum);
    }
    sn_sparse_apply_add_f64(m, u, r);
    for (sn_local i = 0; i < m->height * m->rows->n; i++)
        CHECK(r[i] == out[i], "added: %g, not %g", r[i], out[i]);
    sn_free(u), sn_free(out), sn_free(r);
}

static void narrow_is_near(sn_sparse *m)
{
    double *u = SN_NEW_ZERO(double, sn_sparse_room(m)),
           *out = SN_NEW(double, m->height * m->rows->n);
    float *v = SN_NEW_ZERO(float, sn_sparse_room(m)), *got = SN_NEW(float, m->height * m->rows->n);
    for (sn_local i = 0; i < m->width * m->columns->n; i++)
        u[i] = v[i] = (float)number_of(m->columns->key[i / m->width], 2000, i % m->width);
    size_t wide = sn_sparse_memory(m);
    sn_sparse_apply_f64(m, u, out);
    sn_sparse_narrow(m);
    sn_sparse_drop_wide(m);
    CHECK(sn_sparse_blocks(m) == 0 || sn_sparse_memory(m) < wide, "not smaller");
    sn_sparse_apply_f32(m, v, got);
    for (sn_local i = 0; i < m->height * m->rows->n; i++)
        CHECK(fabs(got[i] - out[i]) < 3e-5, "%g and %g", got[i], out[i]);
    sn_free(u), sn_free(v), sn_free(out), sn_free(got);
}

/* (A^T A + 1) x = b. */
/* A second matrix has entries in the same places, as one linearisation after the other has. */
static void direct_solves(sn_sparse *normal)
{
    const sn_unknowns *u = normal->rows;
    double *x = SN_NEW_ZERO(double, sn_sparse_room(normal)), *b = SN_NEW(double, 3 * u->n);
    for (sn_local i = 0; i < u->n; i++) {
        double *diagonal = sn_sparse_block(normal, sn_sparse_find(normal, i, u->key[i]));
        for (int r = 0; r < 3; r++) {
            diagonal[4 * r] += 1;
            x[3 * i + r] = number_of(u->key[i], 3000, r);
        }
    }
    double *found = SN_NEW_ZERO(double, 3 * u->n);
    sn_direct direct;
    sn_direct_create(u, 3, &direct);
    for (int time = 0; time < 2; time++) {
        for (sn_local i = 0; i < u->n; i++)
            sn_sparse_block(normal, sn_sparse_find(normal, i, u->key[i]))[0] += time;
        sn_sparse_apply_f64(normal, x, b);
        must(sn_direct_factorise(&direct, normal));
        sn_direct_solve_f64(&direct, b, found);
        for (sn_local i = 0; i < 3 * u->n; i++)
            CHECK(fabs(found[i] - x[i]) < 1e-6, "%g, not %g", found[i], x[i]);
    }
    sn_direct_free(&direct);
    sn_free(x), sn_free(b), sn_free(found);
}

/* A star: all rows are beside the first one only. In that order its factor would be full; with the
 * first one last nothing is filled in. */
static void stars_stay_sparse(int block)
{
    enum { ROWS = 40, ENTRIES = 6 * 6 };
    size_t first[ROWS + 1] = {0, 2 * ROWS - 1};
    sn_local beside[3 * ROWS];
    for (int i = 0; i < ROWS; i++) { /* both ways, as matrices are, and one way twice */
        beside[i] = i;
        if (i > 0)
            beside[ROWS - 1 + i] = i;
    }
    for (int i = 1; i < ROWS; i++) {
        beside[first[i]] = 0;
        first[i + 1] = first[i] + 1;
    }
    sn_cholesky f;
    sn_cholesky_analyse(&(sn_graph){ROWS, first, beside}, block, &f);
    int reals = block * block;
    CHECK(sn_cholesky_reals(&f) == (size_t)((2 * ROWS - 1) * reals), "%d reals",
          (int)sn_cholesky_reals(&f));
    double own[ENTRIES] = {0}, joint[ENTRIES] = {0}, x[6 * ROWS], b[6 * ROWS] = {0};
    for (int r = 0; r < block; r++) {
        own[r * block + r] = ROWS + 1;
        for (int c = 0; c < block; c++)
            joint[c * block + r] = number_of((sn_key)r, (sn_key)c, 0) / block;
    }
    for (int sign = 1; sign >= -1; sign -= 2) { /* the second matrix is not definite */
        sn_cholesky_clear(&f);
        for (int i = 0; i < ROWS; i++)
            sn_cholesky_set(&f, i, i, own);
        for (int i = 1; i < ROWS; i++) {
            double mirrored[ENTRIES];
            for (int e = 0; e < reals; e++)
                mirrored[e] = joint[e % block * block + e / block];
            sn_cholesky_set(&f, i, 0, joint);
            sn_cholesky_set(&f, 0, i, mirrored);
        }
        *sn_cholesky_diagonal(&f, ROWS / 2, block - 1) *= sign;
        CHECK(sn_cholesky_factorise(&f) == (sign > 0), "sign %d", sign);
        if (sign < 0)
            break;
        for (int i = 0; i < block * ROWS; i++)
            x[i] = number_of((sn_key)i, 1, 1);
        for (int i = 0; i < ROWS; i++)
            for (int r = 0; r < block; r++) {
                b[block * i + r] += (ROWS + 1) * x[block * i + r];
                for (int c = 0; c < block && i > 0; c++) {
                    b[block * i + r] += joint[c * block + r] * x[c];
                    b[c] += joint[c * block + r] * x[block * i + r];
                }
            }
        sn_cholesky_solve(&f, b);
        for (int i = 0; i < block * ROWS; i++)
            CHECK(fabs(b[i] - x[i]) < 1e-13, "%g, not %g", b[i], x[i]);
    }
    sn_cholesky_free(&f);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    space fine, coarse;
    space_open(&fine, FINE);
    space_open(&coarse, COARSE);
    sn_sparse a, p, pt, ap, galerkin;
    matrix_open(&fine, &fine, 3, 3, &a);
    matrix_open(&fine, &coarse, 3, 6, &p);
    must(sn_sparse_transpose(&p, &pt));
    must(sn_sparse_product(&a, &p, &ap));
    must(sn_sparse_product(&pt, &ap, &galerkin));
    check_entries(&a, FINE, a_entry, 0, "A");
    check_entries(&pt, FINE, transposed_entry, 0, "P^T");
    check_entries(&ap, COARSE, ap_entry, 1e-13, "A P");
    check_entries(&galerkin, COARSE, galerkin_entry, 1e-11, "P^T A P");
    vectors_are_multiplied(&a, a_entry, FINE);
    vectors_are_multiplied(&p, p_entry, COARSE);
    sn_sparse at, normal;
    must(sn_sparse_transpose(&a, &at));
    must(sn_sparse_product(&at, &a, &normal));
    direct_solves(&normal);
    stars_stay_sparse(3);
    stars_stay_sparse(6);
    sn_sparse_free(&at);
    sn_sparse_free(&normal);
    for (int m = 0; m < 4; m++)
        narrow_is_near((sn_sparse *[]){&a, &p, &pt, &ap}[m]);
    for (int m = 0; m < 5; m++)
        sn_sparse_free((sn_sparse *[]){&a, &p, &pt, &ap, &galerkin}[m]);
    space_close(&fine);
    space_close(&coarse);
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
