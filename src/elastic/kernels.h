/* The element kernels of one law, compiled where SN_LAW_FILE names the law's own file:
 *
 *     gather (W)     ->  modes  ->  one-point stress and hourglass  ->  modes^T  ->  scatter (W^T)
 *     nodes to lanes                one pack a number                            lanes to nodes
 *
 * A law's file has in one precision (packs.inc), with all that batch.h offers at hand:
 *
 *     SN_BATCH                                 what it keeps for a batch of elements: only packs
 *     sn_law_linearise(cells, f, svd, batch)   that, about F = U Sigma V^T
 *     sn_law_damp(batch, factor)               adds so much of what resists rates of strain
 *     sn_law_firm(batch)                       adds so little that rounding to single precision
 *                                              cannot make the matrix indefinite
 *     sn_law_rotation(batch, r)                R, in which hourglass modes are turned back
 *     sn_law_hourglass(batch)                  their stiffnesses (hourglass.inc)
 *     sn_law_isotropic(batch)                  where R drops out: half that of modes 3, 5, 6
 *     sn_law_sound_hourglass(cells, batch)     those of sound elements, for damping
 *     sn_law_respond(cells, batch, g, mode, p) adds the stress modes by which hourglass modes turn
 *                                              with R, from the modes g = 4h F
 *     sn_law_energy(cells, f, svd)             Psi for a unit of volume
 *     sn_law_stress(cells, batch, f, p)        P
 *     sn_law_stress_modes(batch, 4h, g, p)     h^2/4 times the same, from the modes g = 4h F
 *     sn_law_small_stress(batch, e, t)         the same at small strains, from 4h (S - I), both
 *                                              symmetric: 00 11 22 12 02 01
 *     sn_law_stress_change(batch, g, p)        h^2/4 dP for g = 4h dF, made positive semidefinite
 *     sn_law_diagonal(batch, shape, diagonal)  of K at the conforming nodes (sn_shapes)
 *     sn_law_excess(batch)                     such that K <= k + excess |g|^2 for any g = 4h dF,
 *                                              where k is about as the stiffness at rest, turned
 *
 * A kernel gives each element's shares for its eight conforming nodes, and the caller adds them,
 * in the order of the curve for the same bits on any ranks and threads. The product with the
 * stiffness matrix is inlined into the caller's loop. A law's plain reference, one element at a
 * time, is beside it. */
#ifndef SN_ELASTIC_KERNELS_H
#define SN_ELASTIC_KERNELS_H

#include "elastic/batch.h"
#include "elastic/damping.h"

#define SN_PRECISION 32
#include SN_LAW_FILE
#define SN_PRECISION 64
#include SN_LAW_FILE

#define SN_PRECISION 32
#include "elastic/kernels.inc"
#define SN_PRECISION 64
#include "elastic/kernels.inc"

#define SN_PRECISION 32
#include "elastic/damping.inc"
#define SN_PRECISION 64
#include "elastic/damping.inc"

enum { SN_PACKS_IN_BATCH = sizeof(sn_batch_f64) / sizeof(sn_pack_f64) };
_Static_assert(SN_PACKS_IN_BATCH * sizeof(sn_pack_f32) == sizeof(sn_batch_f32), "same layout");

/* One half of a pack in single precision. */
typedef float sn_half_pack __attribute__((vector_size(SN_LANES_F64 * sizeof(float))));

/* Rounds a batch into its part of one in single precision. */
static inline void sn_batch_narrow(const sn_batch_f64 *wide, int part, sn_batch_f32 *narrow)
{
    for (int number = 0; number < SN_PACKS_IN_BATCH; number++) {
        sn_half_pack half =
            __builtin_convertvector(((const sn_pack_f64 *)wide)[number], sn_half_pack);
        float *to = (float *)((sn_pack_f32 *)narrow + number) + part * SN_LANES_F64;
        memcpy(to, &half, sizeof half);
    }
}

/* And back. */
SN_INLINE void sn_batch_widen(const sn_batch_f32 *narrow, int part, sn_batch_f64 *wide)
{
    SN_EACH (number, SN_PACKS_IN_BATCH) {
        sn_half_pack half;
        const float *from =
            (const float *)((const sn_pack_f32 *)narrow + number) + part * SN_LANES_F64;
        memcpy(&half, from, sizeof half);
        ((sn_pack_f64 *)wide)[number] = __builtin_convertvector(half, sn_pack_f64);
    }
}

#endif
