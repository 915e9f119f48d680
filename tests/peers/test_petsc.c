/* Sinew and PETSc solve the same linear system: a cube of flesh at rest whose bottom is held, under
 * its own weight, to the same residual. PETSc has the matrix assembled from the reference's element
 * (elastic/laws/corotated_reference.h), conjugate gradients, and algebraic multigrid (GAMG) that is
 * told of rigid motions. Both solutions must agree; what either takes is printed beside.
 *
 * usage: test_petsc [cells along a side, PETSc's options ...] */
#include "helpers/check.h"
#include "helpers/elastic_body.h"

#include "base/memory.h"
#include "base/timer.h"
#include "elastic/laws/corotated.h"
#include "elastic/laws/corotated_reference.h"

#include <math.h>
#include <petscksp.h>
#include <stdlib.h>

enum { USUAL_CELLS = 12, MOST_ITERATIONS = 500, CORNER_REALS = 24, NEIGHBOURS = 27 };
static const double TOLERANCE = 1e-6;
static const test_material FLESH = {.young = 2e4, .poisson = 0.3, .density = 1000};
static const double GRAVITY[3] = {0, 0, -9.81};

#define PETSC(call) PetscCallAbort(MPI_COMM_WORLD, call)

/* Seconds of the slowest rank, and bytes of all ranks over what they had before. */
typedef struct {
    double assembly, set_up, solve, bytes;
    int iterations;
} cost;

static double begin_clock(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return sn_timer_elapsed();
}

static double seconds_since(double start)
{
    double seconds = sn_timer_elapsed() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

static double begin_memory(void)
{
    sn_process_reset_peak();
    return (double)sn_process_peak();
}

static double bytes_since(double before)
{
    double bytes = (double)sn_process_peak() - before;
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return bytes;
}

/* ---- Sinew ---- */

static bool at_the_bottom(const double rest[3])
{
    return rest[2] < 1e-6;
}

static void build(test_elastic *e, int cells)
{
    int along[3] = {cells, cells, cells};
    double cell = 1.0 / cells;
    test_elastic_create(e, test_box_of_cells(along, cell), cell, cell, FLESH, at_the_bottom);
}

static double *weight(const test_elastic *e)
{
    double *b = sn_field_new_f64(e->tree);
    sn_field_mass_vector(e->tree, e->solver.finest.mass, GRAVITY, b);
    sn_field_mask_f64(e->tree, e->solver.finest.pinned, b);
    return b;
}

static double *solve_by_sinew(test_elastic *e, int cells, cost *c)
{
    double before = begin_memory(), start = begin_clock();
    sn_deformation_summary summary;
    build(e, cells);
    c->assembly = seconds_since(start), start = begin_clock();
    CHECK(test_solver_update(&e->solver, e->rest, 0, &summary) == SN_OK, "%s",
          sn_failure_message());
    c->set_up = seconds_since(start), start = begin_clock();
    double *b = weight(e), *x = sn_field_new_f64(e->tree);
    sn_linear_settings settings = {SN_LINEAR_MGPCG, .max = MOST_ITERATIONS, .tolerance = TOLERANCE};
    sn_linear_result r = test_solver_solve(&e->solver, settings, b, x, NULL, NULL);
    c->solve = seconds_since(start);
    c->iterations = r.iterations;
    c->bytes = bytes_since(before);
    CHECK(r.residual <= TOLERANCE, "residual %g", r.residual);
    sn_free(b);
    return x;
}

/* ---- PETSc ---- */

typedef struct {
    const test_elastic *e;
    PetscInt first; /* number of the first owned node among all */
    double *number; /* field: of each local node, three times; negative where it is held */
    Mat matrix;
    Vec b, x;
    KSP solver;
} peer;

/* At rest, of a cell: the change of force for a unit at each corner, and nothing else. */
static void element_matrix(const test_elastic *e, double k[CORNER_REALS][CORNER_REALS])
{
    sn_law_parameters p =
        sn_law_parameters_of(SN_LAW_COROTATED, FLESH.young, FLESH.poisson, SN_HOURGLASS_ASSUMED);
    sn_corotated_cell cell = {.edge = e->body.cell,
                              .mu = p.of[SN_COROTATED_MU],
                              .lambda = p.of[SN_COROTATED_LAMBDA],
                              .bending = p.of[SN_COROTATED_BENDING],
                              .assumed = p.of[SN_COROTATED_ASSUMED]};
    double rest[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    sn_corotated_state state;
    sn_corotated_linearise(&cell, rest, true, &state);
    for (int j = 0; j < CORNER_REALS; j++) {
        double unit[8][3] = {{0}}, change[8][3];
        unit[j / 3][j % 3] = 1;
        sn_corotated_differential(&cell, &state, unit, change);
        for (int i = 0; i < CORNER_REALS; i++)
            k[i][j] = -change[i / 3][i % 3];
    }
}

static void number_nodes(peer *p)
{
    sn_octree *tree = p->e->tree;
    int owned = tree->n_nodes, up_to_here;
    MPI_Scan(&owned, &up_to_here, 1, MPI_INT, MPI_SUM, tree->comm);
    p->first = up_to_here - owned;
    p->number = sn_field_new_f64(tree);
    for (sn_local i = 0; i < sn_field_reals(tree); i++)
        p->number[i] =
            p->e->solver.finest.pinned[i / SN_NODE_REALS] ? -1 : p->first + i / SN_NODE_REALS;
    sn_field_fill_ghosts(tree, p->number);
}

/* PETSc leaves out rows and columns with negative numbers; those that are held get a one. */
static void add_elements(peer *p)
{
    const sn_octree *tree = p->e->tree;
    double k[CORNER_REALS][CORNER_REALS];
    element_matrix(p->e, k);
    for (sn_local e = 0; e < tree->n_elements; e++) {
        PetscInt node[8];
        for (int a = 0; a < 8; a++)
            node[a] = (PetscInt)p->number[SN_NODE_REALS * tree->conforming[e][a]];
        PETSC(MatSetValuesBlocked(p->matrix, 8, node, 8, node, k[0], ADD_VALUES));
    }
}

static void hold_nodes(peer *p)
{
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (sn_local n = 0; n < p->e->tree->n_nodes; n++) {
        PetscInt node = p->first + n;
        if (p->e->solver.finest.pinned[n])
            PETSC(MatSetValuesBlocked(p->matrix, 1, &node, 1, &node, one, ADD_VALUES));
    }
}

static Vec vector_of(const sn_octree *tree, const double *field)
{
    Vec v;
    PetscScalar *values;
    PETSC(VecCreate(tree->comm, &v));
    PETSC(VecSetSizes(v, sn_field_reals(tree), PETSC_DETERMINE));
    PETSC(VecSetBlockSize(v, SN_NODE_REALS));
    PETSC(VecSetFromOptions(v));
    PETSC(VecGetArray(v, &values));
    for (sn_local i = 0; i < sn_field_reals(tree); i++)
        values[i] = field[i];
    PETSC(VecRestoreArray(v, &values));
    return v;
}

static void tell_of_rigid_motions(peer *p)
{
    MatNullSpace rigid;
    Vec rest = vector_of(p->e->tree, p->e->rest);
    PETSC(MatNullSpaceCreateRigidBody(rest, &rigid));
    PETSC(MatSetNearNullSpace(p->matrix, rigid));
    PETSC(MatNullSpaceDestroy(&rigid));
    PETSC(VecDestroy(&rest));
}

static void assemble(peer *p)
{
    PetscInt n = sn_field_reals(p->e->tree), row = SN_NODE_REALS * NEIGHBOURS;
    number_nodes(p);
    PETSC(MatCreate(MPI_COMM_WORLD, &p->matrix));
    PETSC(MatSetSizes(p->matrix, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
    PETSC(MatSetBlockSize(p->matrix, SN_NODE_REALS));
    PETSC(MatSetType(p->matrix, MATAIJ));
    PETSC(MatSeqAIJSetPreallocation(p->matrix, row, NULL));
    PETSC(MatMPIAIJSetPreallocation(p->matrix, row, NULL, row, NULL));
    add_elements(p);
    hold_nodes(p);
    PETSC(MatAssemblyBegin(p->matrix, MAT_FINAL_ASSEMBLY));
    PETSC(MatAssemblyEnd(p->matrix, MAT_FINAL_ASSEMBLY));
    PETSC(MatSetOption(p->matrix, MAT_SPD, PETSC_TRUE));
    tell_of_rigid_motions(p);
}

static void set_up(peer *p)
{
    PC preconditioner;
    PETSC(KSPCreate(MPI_COMM_WORLD, &p->solver));
    PETSC(KSPSetType(p->solver, KSPCG));
    PETSC(KSPSetNormType(p->solver, KSP_NORM_UNPRECONDITIONED));
    PETSC(KSPSetTolerances(p->solver, TOLERANCE, 0, PETSC_DEFAULT, MOST_ITERATIONS));
    PETSC(KSPGetPC(p->solver, &preconditioner));
    PETSC(PCSetType(preconditioner, PCGAMG));
    PETSC(KSPSetOperators(p->solver, p->matrix, p->matrix));
    PETSC(KSPSetFromOptions(p->solver));
    PETSC(KSPSetUp(p->solver));
}

static double *solution(const peer *p)
{
    const PetscScalar *values;
    double *x = sn_field_new_f64(p->e->tree);
    PETSC(VecGetArrayRead(p->x, &values));
    for (sn_local i = 0; i < sn_field_reals(p->e->tree); i++)
        x[i] = values[i];
    PETSC(VecRestoreArrayRead(p->x, &values));
    return x;
}

static void free_peer(peer *p)
{
    PETSC(KSPDestroy(&p->solver));
    PETSC(MatDestroy(&p->matrix));
    PETSC(VecDestroy(&p->b));
    PETSC(VecDestroy(&p->x));
    sn_free(p->number);
}

static double *solve_by_petsc(const test_elastic *e, cost *c)
{
    peer p = {.e = e};
    PetscInt iterations;
    double before = begin_memory(), start = begin_clock(), *b = weight(e);
    assemble(&p);
    p.b = vector_of(e->tree, b);
    PETSC(VecDuplicate(p.b, &p.x));
    c->assembly = seconds_since(start), start = begin_clock();
    set_up(&p);
    c->set_up = seconds_since(start), start = begin_clock();
    PETSC(KSPSolve(p.solver, p.b, p.x));
    c->solve = seconds_since(start);
    c->bytes = bytes_since(before);
    PETSC(KSPGetIterationNumber(p.solver, &iterations));
    c->iterations = (int)iterations;
    CHECK(c->iterations < MOST_ITERATIONS, "PETSc did not converge");
    double *x = solution(&p);
    free_peer(&p);
    sn_free(b);
    return x;
}

/* ---- Both ---- */

static double seconds_of(const cost *c)
{
    return c->assembly + c->set_up + c->solve;
}

static void print(const char *name, const cost *c, double elements)
{
    sn_info(
        "%-6s build %.3f s, set-up %.3f s, solve %.3f s (%d iterations), together %.3f s, %.0f B "
        "an element",
        name, c->assembly, c->set_up, c->solve, c->iterations, seconds_of(c), c->bytes / elements);
}

static void compare(int argc, char **argv)
{
    static test_elastic e;
    int cells = argc > 1 && argv[1][0] != '-' ? atoi(argv[1]) : USUAL_CELLS;
    cost ours, theirs;
    double *x = solve_by_sinew(&e, cells, &ours);
    PETSC(PetscInitialize(&argc, &argv, NULL, NULL));
    double *y = solve_by_petsc(&e, &theirs);
    double apart = test_most_apart(&e, x, y), largest = sn_field_largest(e.tree, y);
    double elements = (double)sn_octree_count(e.tree).elements;
    CHECK(elements == pow(cells, 3), "%.0f elements", elements);
    print("Sinew:", &ours, elements);
    print("PETSc:", &theirs, elements);
    sn_info("PETSc takes %.1f times the time and %.1f times the memory; solutions differ by %.1e",
            seconds_of(&theirs) / seconds_of(&ours), theirs.bytes / ours.bytes, apart / largest);
    CHECK(apart < 1e-4 * largest, "%g apart, the largest is %g", apart, largest);
    PETSC(PetscFinalize());
    sn_free(x), sn_free(y);
    test_elastic_free(&e);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, compare);
}
