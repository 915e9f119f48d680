/* Functions that must not be left to the compiler's judgement: small parts of hot loops, written as
 * functions so that they have names. */
#ifndef SN_BASE_INLINE_H
#define SN_BASE_INLINE_H

#define SN_INLINE static inline __attribute__((always_inline))

#endif
