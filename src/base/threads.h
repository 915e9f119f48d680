/* When a loop is worth its threads.
 *
 * Waking threads costs as much as some thousand simple operations: the loops of coarse levels are
 * shorter than that. What comes out has the same bits either way. */
#ifndef SN_BASE_THREADS_H
#define SN_BASE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/* To be called outside parallel regions, for `if` clauses: are so many short items enough? The
 * environment's SINEW_THREADS_FROM says how many are; tests set it to 0. */
bool sn_worth_threads(int64_t items);

#endif
