/* A request to give up what is being solved, for who can wait no longer: asked for at points that
 * all ranks pass, between iterations. */
#ifndef SN_SOLVE_INTERRUPT_H
#define SN_SOLVE_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    bool (*asked)(void *context); /* collective, with the same answer on all ranks; NULL: never */
    void *context;
} sn_interrupt;

static inline bool sn_interrupt_is_asked(const sn_interrupt *interrupt)
{
    return interrupt && interrupt->asked && interrupt->asked(interrupt->context);
}

#endif
