#include "elastic/batch.h"

#define SN_PRECISION 32
#include "elastic/update.inc"
#define SN_PRECISION 64
#include "elastic/update.inc"

enum { PACKS_IN_BATCH = sizeof(sn_batch_f64) / sizeof(sn_pack_f64) };
_Static_assert(PACKS_IN_BATCH * sizeof(sn_pack_f32) == sizeof(sn_batch_f32), "same layout");

void sn_batch_narrow(const sn_batch_f64 wide[SN_BATCHES_TO_NARROW], sn_batch_f32 *narrow)
{
    for (int number = 0; number < PACKS_IN_BATCH; number++) {
        sn_pack_f32 pack;
        for (int lane = 0; lane < SN_LANES_F32; lane++) {
            const sn_batch_f64 *from = &wide[lane / SN_LANES_F64];
            sn_pack_f64 value = ((const sn_pack_f64 *)from)[number];
            pack[lane] = (float)value[lane % SN_LANES_F64];
        }
        ((sn_pack_f32 *)narrow)[number] = pack;
    }
}
