/* Saved states: arrays and tables come back bit for bit to whoever asks, what the file holds does
 * not depend on the ranks, and damage is noticed, as are files that lead to others. */
#include "helpers/check.h"
#include "io/hdf5/seal.h"
#include "io/hdf5/state.h"

#include "base/array.h"
#include "base/digest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    uint64_t key;
    double place[3];
    int64_t count;
} record;

static const sn_state_field FIELDS[] = {
    {"key", SN_STATE_U64, 1}, {"place", SN_STATE_F64, 3}, {"count", SN_STATE_I64, 1}};

enum { RECORDS = 500, KEYS = 300, ROWS = 40000, ROW = 3 };

static int rank, size;
static char path[64];

/* The same on every rank: keys anywhere in 64 bits, many of them twice. */
static record record_number(int i)
{
    uint64_t number = (uint64_t)(i * 7 % KEYS);
    uint64_t key = sn_digest_bytes(&number, sizeof number);
    return (record){key, {i, -i, 1.0 / (i + 1)}, i - 100};
}

static int compare(const void *a, const void *b)
{
    const record *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return memcmp(x, y, sizeof *x);
}

static void all_records(record all[RECORDS])
{
    for (int i = 0; i < RECORDS; i++)
        all[i] = record_number(i);
    qsort(all, RECORDS, sizeof *all, compare);
}

static sn_state_table table_of(record *records, size_t n)
{
    return (sn_state_table){"/table", FIELDS, 3, 0, sizeof *records, records, n};
}

/* A rank's rows: uneven slabs, some of them empty. */
static sn_slab uneven_slab(int shift)
{
    int64_t first = (int64_t)ROWS * ((rank * rank) + shift * rank) / (size * size + shift * size);
    int64_t end = (int64_t)ROWS * ((rank + 1) * (rank + 1) + shift * (rank + 1)) /
                  (size * size + shift * size);
    return (sn_slab){first, end - first};
}

static double value_at(int64_t row, int column)
{
    return 1.0 / (double)(row + 1) - column;
}

static void write_file(void)
{
    record mine[RECORDS];
    size_t n = 0;
    for (int i = 0; i < RECORDS; i++)
        if (i % 5 * 3 % size == rank)
            mine[n++] = record_number(i);
    sn_slab slab = uneven_slab(1);
    double(*values)[ROW] = SN_NEW(double[ROW], slab.n);
    for (int64_t i = 0; i < slab.n; i++)
        for (int c = 0; c < ROW; c++)
            values[i][c] = value_at(slab.first + i, c);
    sn_h5_file file;
    sn_status status = sn_h5_create(MPI_COMM_WORLD, path, 1 << 21, &file);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_state_table table = table_of(mine, n);
    sn_state_write_table(&file, &table);
    sn_state_write_array(&file, "/array", H5T_IEEE_F64LE, ROWS, ROW, slab, values);
    file.sealed = true;
    status = sn_h5_finish(&file);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    sn_free(values);
}

static void whole_tables(sn_h5_source *source)
{
    record all[RECORDS];
    all_records(all);
    sn_state_table table = table_of(NULL, 0);
    sn_status status = sn_state_read_whole_table(source, &table, RECORDS);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    CHECK(table.n == RECORDS && memcmp(table.data, all, sizeof all) == 0,
          "%zu records, or in another order", table.n);
    uint64_t stored = 0, digest = 0;
    status = sn_h5_read_attribute(source, "/table", "digest", H5T_STD_U64LE, 1, &stored);
    sn_digest_add_array(&digest, 0, all, sizeof *all, RECORDS);
    CHECK(status == SN_OK && stored == digest, "the digest depends on the ranks");
    sn_free(table.data);
}

/* A file that was written before a table had its last field. */
static void newer_fields(sn_h5_source *source)
{
    typedef struct {
        record old;
        double news[2];
    } longer;
    const sn_state_field fields[] = {FIELDS[0], FIELDS[1], FIELDS[2], {"news", SN_STATE_F64, 2}};
    record all[RECORDS];
    all_records(all);
    sn_state_table table = {"/table", fields, 4, 1, sizeof(longer), NULL, 0};
    sn_status status = sn_state_read_whole_table(source, &table, RECORDS);
    CHECK(status == SN_OK && table.n == RECORDS, "%s", sn_failure_message());
    const longer *got = table.data;
    for (size_t i = 0; i < table.n; i++)
        CHECK(memcmp(&got[i].old, &all[i], sizeof *all) == 0 && got[i].news[0] == 0 &&
                  got[i].news[1] == 0,
              "record %zu is another", i);
    sn_free(table.data);
    table.n_newer = 0;
    status = sn_state_read_whole_table(source, &table, RECORDS);
    CHECK(status == SN_MACHINE, "fields that are missing are not noticed");
}

/* Equal parts, one after the other; and no more than there may be. */
static void parts_of_tables(sn_h5_source *source)
{
    sn_state_table table = table_of(NULL, 0);
    sn_status status = sn_state_read_table(source, &table, RECORDS);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    record all[RECORDS];
    all_records(all);
    sn_slab part = sn_h5_slab(MPI_COMM_WORLD, RECORDS);
    CHECK((int64_t)table.n == part.n, "%zu records", table.n);
    for (size_t i = 0; i < table.n; i++)
        CHECK(memcmp((record *)table.data + i, all + part.first + i, sizeof *all) == 0,
              "record %zu is another", i);
    sn_free(table.data);
    status = sn_state_read_table(source, &table, RECORDS - 1);
    CHECK(status == SN_MACHINE && !table.data, "too many records are not noticed");
    status = sn_state_read_whole_table(source, &table, RECORDS - 1);
    CHECK(status == SN_MACHINE && !table.data, "too many records are not noticed");
}

/* Rows that were never written take no room in a file, but would in memory. */
static void rows_out_of_nothing(void)
{
    const char *empty = "test_state_empty.h5";
    if (rank == 0) {
        hsize_t rows = (hsize_t)1 << 50, chunk = 1024;
        hid_t file = H5Fcreate(empty, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        hid_t space = H5Screate_simple(1, &rows, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(create, 1, &chunk);
        H5Dclose(H5Dcreate2(file, "/table", H5T_IEEE_F64LE, space, H5P_DEFAULT, create, 0));
        H5Pclose(create);
        H5Sclose(space);
        H5Fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    sn_h5_source source;
    int64_t rows;
    sn_status status = sn_h5_open(MPI_COMM_WORLD, empty, &source);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    CHECK(sn_h5_read_rows(&source, "/table", 0, &rows) == SN_MACHINE, "%lld rows", (long long)rows);
    sn_h5_close(&source);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(empty);
}

/* ---- Files that lead to others ---- */

enum { SECRETS = 8 };
static const char *const OTHER = "test_state_other.h5", *const LEADING = "test_state_leading.h5";
static const char *const WAYS_OUT[] = {"/link", "/raw", "/virtual"};

static void put_secrets(hid_t file, hid_t space, const char *name, hid_t how)
{
    static const double secret[SECRETS] = {4, 7, 1, 1};
    hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (how == H5P_DEFAULT)
        H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, secret);
    H5Dclose(set);
}

/* A link, and arrays whose numbers are the other file's bytes and those of its array. */
static void make_ways_out(hid_t file, hid_t space)
{
    hid_t raw = H5Pcreate(H5P_DATASET_CREATE), shown = H5Pcreate(H5P_DATASET_CREATE);
    H5Lcreate_external(OTHER, "/secrets", file, WAYS_OUT[0], H5P_DEFAULT, H5P_DEFAULT);
    H5Pset_external(raw, OTHER, 0, SECRETS * sizeof(double));
    put_secrets(file, space, WAYS_OUT[1], raw);
    H5Pset_virtual(shown, space, OTHER, "/secrets", space);
    put_secrets(file, space, WAYS_OUT[2], shown);
    put_secrets(file, space, "/own", H5P_DEFAULT);
    H5Lcreate_soft("/own", file, "/inside", H5P_DEFAULT, H5P_DEFAULT);
    H5Pclose(raw);
    H5Pclose(shown);
}

/* HDF5 alone follows all of them. */
static void check_ways_out(hid_t file)
{
    for (int i = 0; i < 3; i++) {
        double found[SECRETS];
        hid_t set = H5Dopen2(file, WAYS_OUT[i], H5P_DEFAULT);
        CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0,
              "%s leads nowhere", WAYS_OUT[i]);
        H5Dclose(set);
    }
}

static void make_leading_file(void)
{
    hsize_t rows = SECRETS;
    hid_t space = H5Screate_simple(1, &rows, NULL);
    hid_t other = H5Fcreate(OTHER, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_secrets(other, space, "/secrets", H5P_DEFAULT);
    H5Fclose(other);
    hid_t file = H5Fcreate(LEADING, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    make_ways_out(file, space);
    check_ways_out(file);
    H5Fclose(file);
    H5Sclose(space);
}

static void stay_inside(void)
{
    sn_h5_source source;
    int64_t rows;
    sn_status status = sn_h5_open(MPI_COMM_WORLD, LEADING, &source);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    for (int i = 0; i < 3; i++) {
        double found[SECRETS];
        status = sn_h5_read_array(&source, WAYS_OUT[i], H5T_NATIVE_DOUBLE, 0, (sn_slab){0, SECRETS},
                                  found);
        CHECK(status == SN_MACHINE && sn_h5_read_rows(&source, WAYS_OUT[i], 0, &rows) == SN_MACHINE,
              "%s leads out of the file", WAYS_OUT[i]);
    }
    CHECK(sn_h5_read_rows(&source, "/inside", 0, &rows) == SN_OK && rows == SECRETS,
          "a link within the file is not followed");
    sn_h5_close(&source);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(OTHER), unlink(LEADING);
}

static void arrays(sn_h5_source *source)
{
    sn_slab slab = uneven_slab(5);
    double(*values)[ROW] = SN_NEW(double[ROW], slab.n);
    sn_status status =
        sn_state_read_array(source, "/array", H5T_IEEE_F64LE, ROWS, ROW, slab, values);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    bool same = true;
    for (int64_t i = 0; i < slab.n; i++)
        for (int c = 0; c < ROW; c++)
            same = same && values[i][c] == value_at(slab.first + i, c);
    CHECK(same, "other values");
    status = sn_state_read_array(source, "/array", H5T_IEEE_F64LE, ROWS + 1, ROW, slab, values);
    CHECK(status == SN_MACHINE, "another number of rows is not noticed");
    status = sn_state_read_array(source, "/nothing", H5T_IEEE_F64LE, ROWS, ROW, slab, values);
    CHECK(status == SN_MACHINE, "an array that is not there is not noticed");
    sn_free(values);
}

/* Rank 0 changes a byte of a file. */
static void flip(long at)
{
    if (rank == 0) {
        FILE *file = fopen(path, "r+b");
        fseek(file, at, SEEK_SET);
        int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 1, file);
        fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static long length(void)
{
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    long bytes = ftell(file);
    fclose(file);
    MPI_Barrier(MPI_COMM_WORLD);
    return bytes;
}

static void cut_to(long bytes)
{
    if (rank == 0)
        CHECK(truncate(path, bytes) == 0, "cannot be cut");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void seals(void)
{
    long bytes = length();
    CHECK(sn_seal_check(MPI_COMM_WORLD, path) == SN_OK, "%s", sn_failure_message());
    for (int i = 0; i <= 20; i++) {
        long at = (bytes - 1) * i / 20;
        flip(at);
        CHECK(sn_seal_check(MPI_COMM_WORLD, path) == SN_MACHINE, "byte %ld may change", at);
        flip(at);
    }
    CHECK(sn_seal_check(MPI_COMM_WORLD, path) == SN_OK, "%s", sn_failure_message());
    const long shorter[] = {bytes - 1, bytes / 2, 5, 0};
    for (int i = 0; i < 4; i++) {
        cut_to(shorter[i]);
        CHECK(sn_seal_check(MPI_COMM_WORLD, path) == SN_MACHINE, "%ld bytes are enough",
              shorter[i]);
    }
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(path, sizeof path, "test_state.%d.h5", size);
    if (rank == 0)
        make_leading_file();
    write_file();
    stay_inside();
    sn_h5_source source;
    sn_status status = sn_h5_open(MPI_COMM_WORLD, path, &source);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    if (status == SN_OK) {
        whole_tables(&source);
        newer_fields(&source);
        parts_of_tables(&source);
        arrays(&source);
        sn_h5_close(&source);
    }
    seals();
    rows_out_of_nothing();
    if (rank == 0)
        unlink(path);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
