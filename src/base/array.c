#include "base/array.h"

#include "base/log.h"
#include "base/status.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

/* The header keeps the alignment of what follows it. */
typedef struct {
    _Alignas(ALIGNMENT) size_t bytes;
} header;

static _Atomic size_t held, peak;

static void count_more(size_t bytes)
{
    size_t now = atomic_fetch_add(&held, bytes) + bytes;
    size_t old = atomic_load(&peak);
    while (now > old && !atomic_compare_exchange_weak(&peak, &old, now)) {
    }
}

void *sn_allocate(size_t count, size_t size, const char *file, int line)
{
    if (count == 0 || size == 0)
        return NULL;
    size_t bytes;
    header *block = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes) && bytes < SIZE_MAX / 2) {
        size_t whole = (sizeof(header) + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        block = aligned_alloc(ALIGNMENT, whole);
    }
    if (!block)
        sn_abort(SN_MACHINE, file, line,
                 "out of memory: %zu x %zu bytes asked for, %zu MB held by this rank", count, size,
                 sn_memory_held() >> 20);
    block->bytes = bytes;
    count_more(bytes);
    return block + 1;
}

void *sn_reallocate(void *array, size_t count, size_t size, const char *file, int line)
{
    void *fresh = sn_allocate(count, size, file, line);
    if (array && fresh) {
        size_t old_bytes = ((header *)array - 1)->bytes;
        memcpy(fresh, array, old_bytes < count * size ? old_bytes : count * size);
    }
    sn_free(array);
    return fresh;
}

void sn_free(void *array)
{
    if (!array)
        return;
    header *block = (header *)array - 1;
    atomic_fetch_sub(&held, block->bytes);
    free(block);
}

void *sn_zeroed(void *array, size_t bytes)
{
    return array ? memset(array, 0, bytes) : NULL;
}

size_t sn_memory_held(void)
{
    return atomic_load(&held);
}

size_t sn_memory_peak(void)
{
    return atomic_load(&peak);
}

bool sn_memory_monitor(void *unused, ssize_t bytes, bool done)
{
    (void)unused;
    (void)done;
    if (bytes > 0)
        count_more((size_t)bytes);
    else
        atomic_fetch_sub(&held, (size_t)-bytes);
    return true;
}

void sn_memory_reset_peak(void)
{
    atomic_store(&peak, atomic_load(&held));
}
