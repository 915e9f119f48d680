/* Who holds memory: the bytes of arrays by the file that made them, now and when all of this rank's
 * together were most.
 *
 * array.h counts here, from any thread. A holder's name is its file below src, without what follows
 * the dot: "elastic/operator". Fields are made for others in "field/field", and what libraries have
 * is that of who told of it. */
#ifndef SN_BASE_HOLDERS_H
#define SN_BASE_HOLDERS_H

#include "base/names.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* `file` must be a string that stays, as __FILE__ does. */
int sn_holder_of(const char *file);

void sn_holder_add(int holder, int64_t bytes);

/* To be called before any holder has less: keeps who holds what, if all together, which is `held`,
 * was never more. And forgets that it was. */
void sn_holders_note(size_t held);
void sn_holders_forget(void);

/* Over the ranks, each at its own peak, in bytes. */
typedef struct {
    sn_name name;
    double least, average, most;
} sn_holding;

/* Collective. Those who have at least this part of what all have, the largest first, and what the
 * others have as the last one; on all ranks. The caller frees them. */
int sn_holders_gather(MPI_Comm comm, double part, sn_holding **holdings);

/* Collective. Rank 0 adds a row for each to a table of timers: megabytes in the place of seconds.
 */
void sn_holders_write_csv(MPI_Comm comm, FILE *out);

#endif
