#include "base/array.h"

#include "base/holders.h"
#include "base/log.h"
#include "base/status.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

/* Blocks from this size on have pages of their own: see memory.c. */
enum { LARGE = 2 << 20 };

/* The header keeps the alignment of what follows it. */
typedef struct {
    _Alignas(ALIGNMENT) size_t bytes;
    int holder;
} header;

static _Atomic size_t held, peak;

static void count_more(int holder, size_t bytes)
{
    sn_holder_add(holder, (int64_t)bytes);
    size_t now = atomic_fetch_add(&held, bytes) + bytes;
    size_t old = atomic_load(&peak);
    while (now > old && !atomic_compare_exchange_weak(&peak, &old, now)) {
    }
}

static void count_less(int holder, size_t bytes)
{
    sn_holders_note(atomic_fetch_sub(&held, bytes));
    sn_holder_add(holder, -(int64_t)bytes);
}

static size_t whole_of(size_t bytes)
{
    return (sizeof(header) + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* What is behind the header of a block that is there, for who asked for it. */
static void *counted(header *block, size_t count, size_t size, const char *file, int line)
{
    if (!block)
        sn_abort(SN_MACHINE, file, line,
                 "out of memory: %zu x %zu bytes asked for, %zu MB held by this rank", count, size,
                 sn_memory_held() >> 20);
    block->bytes = count * size;
    block->holder = sn_holder_of(file);
    count_more(block->holder, block->bytes);
    return block + 1;
}

void *sn_allocate(size_t count, size_t size, const char *file, int line)
{
    if (count == 0 || size == 0)
        return NULL;
    size_t bytes;
    header *block = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes) && bytes < SIZE_MAX / 2)
        block = aligned_alloc(ALIGNMENT, whole_of(bytes));
    return counted(block, count, size, file, line);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* As realloc, but aligned: it hands over the pages of large blocks as they are. */
static header *with_pages(header *block, size_t bytes)
{
    size_t kept = sizeof *block + smaller(block->bytes, bytes);
    header *moved = realloc(block, whole_of(bytes));
    if (!moved || (uintptr_t)moved % ALIGNMENT == 0)
        return moved;
    header *aligned = aligned_alloc(ALIGNMENT, whole_of(bytes));
    if (aligned)
        memcpy(aligned, moved, kept);
    free(moved);
    return aligned;
}

static void *reallocate_pages(header *block, size_t count, size_t size, const char *file, int line)
{
    count_less(block->holder, block->bytes);
    return counted(with_pages(block, count * size), count, size, file, line);
}

void *sn_reallocate(void *array, size_t count, size_t size, const char *file, int line)
{
    header *block = array ? (header *)array - 1 : NULL;
    size_t bytes;
    bool fits = !__builtin_mul_overflow(count, size, &bytes) && bytes < SIZE_MAX / 2;
    if (block && fits && smaller(block->bytes, bytes) >= LARGE)
        return reallocate_pages(block, count, size, file, line);
    void *fresh = sn_allocate(count, size, file, line);
    if (array && fresh)
        memcpy(fresh, array, smaller(block->bytes, bytes));
    sn_free(array);
    return fresh;
}

void sn_free(void *array)
{
    if (!array)
        return;
    header *block = (header *)array - 1;
    count_less(block->holder, block->bytes);
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
    int library = sn_holder_of("embree");
    if (bytes > 0)
        count_more(library, (size_t)bytes);
    else
        count_less(library, (size_t)-bytes);
    return true;
}

void sn_memory_reset_peak(void)
{
    atomic_store(&peak, atomic_load(&held));
    sn_holders_forget();
}
