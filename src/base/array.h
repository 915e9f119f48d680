/* Aligned arrays, and arrays that grow.
 *
 * Every array of the program comes from here: 64-byte aligned, and counted, so that a run
 * can say what it holds and what its peak was. An allocation that fails ends the job with
 * status SN_MACHINE and one message; it never returns NULL (except for zero bytes). */
#ifndef SN_BASE_ARRAY_H
#define SN_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

void *sn_allocate(size_t count, size_t size, const char *file, int line);
void *sn_reallocate(void *array, size_t count, size_t size, const char *file, int line);
void sn_free(void *array);

#define SN_NEW(type, count)                                                                        \
    ((__typeof__(type) *)sn_allocate((size_t)(count), sizeof(type), __FILE__, __LINE__))
/* The same with every byte zero. */
#define SN_NEW_ZERO(type, count)                                                                   \
    ((__typeof__(type) *)sn_zeroed(SN_NEW(type, count), (size_t)(count) * sizeof(type)))
/* Changes the length of an array of this module; contents are kept. */
#define SN_RESIZE(array, count)                                                                    \
    ((array) = sn_reallocate((array), (size_t)(count), sizeof *(array), __FILE__, __LINE__))

void *sn_zeroed(void *array, size_t bytes);

/* Bytes now held by this rank in such arrays, and the most it held since the last reset. */
size_t sn_memory_held(void);
size_t sn_memory_peak(void);
void sn_memory_reset_peak(void);

/* Counts what a library has taken (or, negative, given back) for this rank as if it were arrays:
 * Embree tells, by calling a function of this form. Always true: the library may go on. */
bool sn_memory_monitor(void *unused, ssize_t bytes, bool done);

/* A growing array: `SN_VECTOR(int) v = {0};  sn_push(&v, 7);  sn_vector_free(&v);` */
#define SN_VECTOR(type)                                                                            \
    struct {                                                                                       \
        type *data;                                                                                \
        size_t count, capacity;                                                                    \
    }

#define sn_reserve(vector, wanted)                                                                 \
    do {                                                                                           \
        size_t sn_wanted = (wanted);                                                               \
        if (sn_wanted > (vector)->capacity) {                                                      \
            size_t sn_twice = 2 * (vector)->capacity;                                              \
            (vector)->capacity = sn_wanted > sn_twice ? sn_wanted : sn_twice;                      \
            SN_RESIZE((vector)->data, (vector)->capacity);                                         \
        }                                                                                          \
    } while (0)

#define sn_push(vector, value)                                                                     \
    do {                                                                                           \
        if ((vector)->count == (vector)->capacity)                                                 \
            sn_reserve(vector, (vector)->count + 1 > 16 ? (vector)->count + 1 : 16);               \
        (vector)->data[(vector)->count++] = (value);                                               \
    } while (0)

#define sn_vector_free(vector)                                                                     \
    do {                                                                                           \
        sn_free((vector)->data);                                                                   \
        (vector)->data = NULL;                                                                     \
        (vector)->count = (vector)->capacity = 0;                                                  \
    } while (0)

#endif
